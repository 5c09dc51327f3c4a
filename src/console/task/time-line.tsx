import { type VNode } from 'preact';
import { type Comment } from '../../comments/comment.dto.js';
import { type LatestComments } from '../../comments/comments.service.js';
import { type Stretch } from '../../common/http/paged-list.js';
import { useFault } from '../parts/labelled.js';
import { ButtonForm, Form, FormKey } from '../parts/form.js';
import { type Formatted, LongTextValue } from '../parts/markdown.js';
import { audienceFrame } from '../parts/mention.js';
import { Instant } from '../parts/time.js';
import { Somebody } from '../parts/value.js';
import { mayMove } from '../../workflows/model/allowed.js';
import { ActLine, type ActsView, actsIn } from './act-part.js';
import { type HistoryEvent, type TaskData } from './task-data.js';
import { useTask, shownValueOf } from './task-view.js';
import { type Json, toJson } from '../../../packages/exact-json/json.js';
import { type SignedIn } from '../reader.js';

/** Comments and history, newest first, with a form for a new comment. */
export function TimeLine(): VNode {
  const view = useTask();
  const { comments, history, isEditable } = view;
  const undoable = isEditable ? undoableOf(view) : undefined;
  return (
    <section id="time-line" aria-labelledby="time-line-name" data-latest={history.shown[0]?.id}>
      <h2 id="time-line-name">Activity</h2>
      {isEditable && <NewComment />}
      <Entries view={view} comments={comments} history={history} undoable={undoable} />
    </section>
  );
}

/** Some comments and events, newest first, followed by links to older ones. */
export function Entries({ view, comments, history, undoable }: EntriesProps): VNode {
  const entries = [
    ...(comments?.comments ?? []).map((one) => ({ at: one.timestamp, node: <Said view={view} one={one} /> })),
    ...actsIn(history?.shown ?? []).map((act) => {
      const { id, timestamp } = act.event;
      const node = (
        <li class="event">
          <ActLine act={act} view={view} />
          {act.event === undoable && (
            <div class="undo">
              <ButtonForm action={`${view.path}/undo`} look="quiet small" fields={{ event: id }}>
                Undo
              </ButtonForm>
            </div>
          )}
        </li>
      );
      return { at: timestamp, node };
    }),
  ].toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
  return (
    <>
      {entries.length === 0 && <p class="muted small">Nothing yet.</p>}
      <ol class="time-line stack gap-3">{entries.map(({ node }) => node)}</ol>
      <Older at={`${view.path}/comments?before=`} next={comments?.next} label="Show older comments" />
      <Older at={`${view.path}/history?before=`} next={history?.next} label="Show older history" />
    </>
  );
}

interface EntriesProps {
  readonly view: ActsView & { readonly formatted: Formatted };
  readonly comments?: LatestComments;
  readonly history?: Stretch<HistoryEvent>;
  /** The event that has a button to undo it. */
  readonly undoable?: HistoryEvent | undefined;
}

function Said({ view, one }: { readonly view: EntriesProps['view']; readonly one: Comment }): VNode {
  return (
    <li class="comment">
      <p class="line">
        <Somebody email={one.author} />
        <span class="muted">
          <Instant at={new Date(one.timestamp)} isShort />
        </span>
      </p>
      <LongTextValue text={one.body} formatted={view.formatted} />
    </li>
  );
}

/** A link to older entries; `at` is its address without `next`. Scripts replace it by the entries. */
function Older({ at, next, label }: OlderProps): VNode | null {
  if (next === undefined) return null;
  return (
    <turbo-frame id={olderFrame(next)} refresh="morph">
      <a class="more" href={`${at}${encodeURIComponent(next)}`}>
        {label}
      </a>
    </turbo-frame>
  );
}

interface OlderProps {
  readonly at: string;
  readonly next: string | undefined;
  readonly label: string;
}

/** The id of the frame for older entries. The beginning of a cursor suffices to tell it from others. */
export const olderFrame = (next: string): string => `before-${next.slice(0, 16)}`;

function NewComment(): VNode {
  const { path } = useTask();
  const { sent = '', attributes, fault } = useFault('comment');
  return (
    <Form
      action={`${path}/comments`}
      id="comments"
      class="entry stack"
      data-turbo-action="replace"
      data-controller="entry mention"
      data-mention-url-value={`${path}/audience`}
      data-action="keydown->entry#key keydown->mention#move input->mention#ask click->mention#choose"
    >
      <FormKey />
      <label class="visually-hidden" for="comment">
        Write a comment
      </label>
      <textarea
        id="comment"
        name="body"
        required
        maxLength={10_000}
        rows={2}
        placeholder="Write a comment"
        data-mention-target="box"
        {...attributes}
      >
        {`\n${String(sent)}`}
      </textarea>
      {fault}
      <turbo-frame id={audienceFrame} class="found" data-mention-target="found" />
      <div class="actions">
        <button type="submit">Comment</button>
      </div>
    </Form>
  );
}

/** The reader's last change by hand, if it can be undone: it changed only values, and the task still has them. */
export function undoableOf(view: UndoView): HistoryEvent | undefined {
  const last = view.history.shown.find((event) => isChangedByHandOf(view.reader, event));
  return last && isHeld(view, last) ? last : undefined;
}

/**
 * The change that made this version of the task and changed only this key, if it can be undone: the reader made it by
 * hand, and the key has not changed since, not even there and back.
 */
export function undoableIn(view: UndoView, name: string, version: number): HistoryEvent | undefined {
  const last = view.history.shown.find(({ data }) => Object.hasOwn(data.changes ?? {}, name));
  if (last?.data.task.version !== version || !isChangedByHandOf(view.reader, last)) return undefined;
  return Object.keys(last.data.changes ?? {}).length === 1 && isHeld(view, last) ? last : undefined;
}

/** Whether a change is of values only, which the task still holds, and the reader may write their former ones. */
function isHeld({ task, scope }: UndoView, { data }: HistoryEvent): boolean {
  const changes = Object.entries(data.changes ?? {});
  return (
    changes.length > 0 &&
    changes.every(([name, change]) => {
      const property = scope.workflow.schema.byName.get(name);
      const held = property && JSON.stringify(shownValueOf(property, { task }));
      const isAllowed = name !== 'Stage' || mayMove(scope, task);
      return isAllowed && 'from' in change && held === JSON.stringify(change.to ?? null);
    })
  );
}

type UndoView = Pick<TaskData, 'reader' | 'history' | 'task' | 'scope'>;

const isChangedByHandOf = (
  { user }: SignedIn,
  { type, data: { actor, execution, cause } }: HistoryEvent,
): boolean =>
  type === 'task.updated' &&
  actor.kind === 'user' &&
  actor.id === user.email &&
  execution === null &&
  cause === null;

export function undoingOf({ data }: HistoryEvent): ReadonlyMap<string, Json> {
  return new Map(Object.entries(data.changes ?? {}).map(([name, { from }]) => [name, toJson(from ?? null)]));
}

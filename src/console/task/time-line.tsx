import { type VNode } from 'preact';
import { type Comment } from '../../comments/comment.dto.js';
import { type Stretch } from '../../common/http/paged-list.js';
import { useFault } from '../parts/labelled.js';
import { ButtonForm, Form, FormKey } from '../parts/form.js';
import { audienceFrame } from '../parts/mention.js';
import { CommentEntry, Older } from './activity-part.js';
import { mayMove } from '../../workflows/model/allowed.js';
import { ActLine, type Act, actsIn } from './act-part.js';
import { type HistoryEvent, type TaskData } from './task-data.js';
import { type ShownActivity, useTask, shownValueOf } from './task-view.js';
import { type Json, toJson } from '../../../packages/exact-json/json.js';
import { type SignedIn } from '../reader.js';

/** Comments and history, newest first, with a form for a new comment. */
export function TimeLine(): VNode {
  const view = useTask();
  const { comments, history, path, shows } = view;
  const said: Stretch<Comment> = shows === 'changes' ? { shown: [], next: undefined } : comments;
  const happened: Stretch<HistoryEvent> = shows === 'comments' ? { shown: [], next: undefined } : history;
  const undoable = view.isEditable ? undoableOf(view) : undefined;
  const entries = [
    ...said.shown.map(
      (comment) => [comment.timestamp, <CommentEntry view={view} comment={comment} />] as const,
    ),
    ...actsIn(happened.shown).map(
      (act) => [act.event.timestamp, <Event act={act} isUndoable={act.event === undoable} />] as const,
    ),
  ].toSorted(([one], [other]) => Date.parse(other) - Date.parse(one));
  return (
    <section id="time-line" aria-labelledby="time-line-name" data-latest={history.shown[0]?.id}>
      <div class="spread">
        <h2 id="time-line-name">Activity</h2>
        <Filter />
      </div>
      {view.isEditable && <NewComment />}
      {entries.length === 0 && <p class="muted small">Nothing yet.</p>}
      <ol class="time-line stack gap-3">{entries.map(([, entry]) => entry)}</ol>
      <Older at={`${path}/comments?before=`} next={said.next} label="Show older comments" />
      <Older at={`${path}/history?before=`} next={happened.next} label="Show older history" />
    </section>
  );
}

const choices: readonly ShownActivity[] = ['all', 'comments', 'changes'];

function Filter(): VNode {
  const { path, shows } = useTask();
  return (
    <nav class="ways" aria-label="Show">
      {choices.map((choice) => (
        <a
          href={choice === 'all' ? path : `${path}?show=${choice}`}
          data-turbo-action="replace"
          {...(choice === shows && { 'aria-current': 'true' })}
        >
          {showNames[choice]}
        </a>
      ))}
    </nav>
  );
}

/** A change. If it is the reader's own and the last one, it has a button to undo it. */
function Event({ act, isUndoable }: { readonly act: Act; readonly isUndoable: boolean }): VNode {
  const view = useTask();
  return (
    <li class="event">
      <ActLine act={act} view={view} />
      {isUndoable && (
        <div class="undo">
          <ButtonForm action={`${view.path}/undo`} look="quiet small" fields={{ event: act.event.id }}>
            Undo
          </ButtonForm>
        </div>
      )}
    </li>
  );
}

function NewComment(): VNode {
  const { path } = useTask();
  const { sent = '', attributes, fault } = useFault('comment');
  return (
    <Form
      action={`${path}/comments`}
      id="comments"
      class="entry new-comment stack"
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

const showNames = { all: 'All', comments: 'Comments', changes: 'Changes' } satisfies Record<
  ShownActivity,
  string
>;

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

interface UndoView extends Pick<TaskData, 'history' | 'task' | 'scope'> {
  readonly reader: SignedIn;
}

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

import { type VNode } from 'preact';
import { type Comment } from '../../comments/comment.dto.js';
import { type LatestComments } from '../../comments/comments.service.js';
import { type Stretch } from '../../common/id-page.js';
import { joined } from '../../common/message.js';
import { whyNoEdits } from '../../workflows/model/allowed.js';
import { useFault } from '../parts/labelled.js';
import { Form, FormKey } from '../parts/form.js';
import { type Formatted, LongTextValue } from '../parts/markdown.js';
import { audienceFrame } from '../parts/mention.js';
import { Reason } from '../parts/sayings.js';
import { Instant } from '../parts/time.js';
import { Somebody } from '../parts/value.js';
import { Section } from '../parts/section.js';
import { ActLine, type ActsView, actsIn } from './act-part.js';
import { type HistoryEvent } from './task-data.js';
import { useTask } from './task-view.js';

/** Comments and history, newest first, with a form for a new comment. */
export function TimeLine(): VNode {
  const view = useTask();
  const { comments, history, isEditable, scope } = view;
  const whyNoComment = joined(['You can see this task, but not comment on it.', whyNoEdits(scope)], ' ');
  return (
    <Section id="time-line" title="Activity" data-latest={history.shown[0]?.id}>
      {isEditable ? <NewComment /> : <Reason text={whyNoComment} />}
      <Entries view={view} comments={comments} history={history} />
    </Section>
  );
}

/** Comments and events, newest first, followed by links to older comments and events. */
export function Entries({ view, comments, history }: EntriesProps): VNode {
  const entries = [
    ...(comments?.comments ?? []).map((one) => ({ at: one.timestamp, node: <Said view={view} one={one} /> })),
    ...actsIn(history?.shown ?? []).map((act) => ({
      at: act.event.timestamp,
      node: (
        <li class="event">
          <ActLine act={act} view={view} />
        </li>
      ),
    })),
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

/** A link to older entries, at the URL `at` + `next`. On a click, scripts replace the link by the entries. */
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

/** The id of the frame for older entries. The beginning of the cursor is enough: it is unique on the page. */
export const olderFrame = (next: string): string => `before-${next.slice(0, 16)}`;

function NewComment(): VNode {
  const { path } = useTask();
  const { sent = '', attributes, fault } = useFault('comment');
  return (
    <Form
      action={`${path}/comments`}
      id="comments"
      class="entry stack"
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

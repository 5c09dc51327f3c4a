import { type VNode } from 'preact';
import { type Comment } from '../../comments/comment.dto.js';
import { type Stretch } from '../../common/http/paged-list.js';
import { LongTextValue } from '../parts/markdown.js';
import { Instant } from '../parts/time.js';
import { Somebody } from '../parts/value.js';
import { ActLine, actsIn } from './act-part.js';
import { type HistoryEvent } from './task-data.js';
import { type HistoryView, type TaskPageView } from './task-view.js';

/** Some comments, newest first, followed by a link to older ones. */
export function SomeComments({ view, comments: { shown, next } }: CommentsProps): VNode {
  const { path } = view;
  return (
    <>
      <ol class="time-line stack gap-3">
        {shown.map((comment) => (
          <CommentEntry view={view} comment={comment} />
        ))}
      </ol>
      <Older at={`${path}/comments?before=`} next={next} label="Show older comments" />
    </>
  );
}

interface CommentsProps {
  readonly view: CommentView;
  readonly comments: Stretch<Comment>;
}

type CommentView = Pick<TaskPageView, 'path' | 'formatted'>;

export function CommentEntry({ view: { formatted }, comment }: CommentEntryProps): VNode {
  const { author, body, timestamp } = comment;
  return (
    <li class="comment">
      <p class="comment-head line">
        <Somebody email={author} />
        <span class="muted">
          <Instant at={new Date(timestamp)} isShort />
        </span>
      </p>
      <LongTextValue text={body} formatted={formatted} />
    </li>
  );
}

interface CommentEntryProps {
  readonly view: CommentView;
  readonly comment: Comment;
}

/** A link to older entries. Scripts replace it by the entries. */
export function Older({ at, next, label }: OlderProps): VNode | null {
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
  /** The address without `next`. */
  readonly at: string;
  readonly next: string | undefined;
  readonly label: string;
}

/** The id of the frame for older entries. The beginning of a cursor suffices to tell it from others. */
export const olderFrame = (next: string): string => `before-${next.slice(0, 16)}`;

/** Some events of the history, newest first, followed by a link to older ones. */
export function SomeHistory({ view, history: { shown, next } }: HistoryProps): VNode {
  const { path } = view;
  return (
    <>
      <ol class="time-line stack gap-3">
        {actsIn(shown).map((act) => (
          <li class="event">
            <ActLine act={act} view={view} />
          </li>
        ))}
      </ol>
      <Older at={`${path}/history?before=`} next={next} label="Show older history" />
    </>
  );
}

interface HistoryProps {
  readonly view: HistoryView;
  readonly history: Stretch<HistoryEvent>;
}

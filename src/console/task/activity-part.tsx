import { decisionNames } from './past-decisions-part.js';
import { type ComponentChildren, type VNode } from 'preact';
import { type Comment } from '../../comments/comment.dto.js';
import { type Output, type ShownField } from '../../schema/field-type.js';
import { LongTextValue } from '../parts/markdown.js';
import { Sayings, said } from '../parts/sayings.js';
import { Instant } from '../parts/time.js';
import { Somebody, Value } from '../parts/value.js';
import { type ShownRun } from '../../executions/runs/run.dto.js';
import { useReader } from '../reader.js';
import { labelOf } from '../task-shown.js';
import { type Stretch } from '../../http/paged-list.js';
import { type HistoryChange, type HistoryEvent } from './task-data.js';
import { adminPathOf } from './failure-part.js';
import { type HistoryView, type TaskPageView } from './task-view.js';
import { type Message, say, sentence } from '../../lib/message.js';
import { ByItself, starterName } from '../parts/run-line.js';

/** Some comments, newest first, and behind them the way to those that are older. */
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

/** Something that was said. */
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

/** The way to what is older: a link, in whose place browsers put it. */
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
  /** The address, but for what is named by `next`. */
  readonly at: string;
  readonly next: string | undefined;
  readonly label: string;
}

/** The place of older entries; the beginning of a cursor tells it from others. */
export const olderFrame = (next: string): string => `before-${next.slice(0, 16)}`;

/** Some of what has happened, newest first, and behind it the way to what is older. */
export function SomeHistory({ view, history: { shown, next } }: HistoryProps): VNode {
  const { path } = view;
  return (
    <>
      <ol class="time-line stack gap-3">
        {shown.filter(isNoComment).map((event) => (
          <li class="event">
            <HappeningLine event={event} view={view} />
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

/** A comment is shown itself. */
export const isNoComment = ({ type }: HistoryEvent): boolean => type !== 'comment.created';

/** Something that has happened. */
export function HappeningLine({ event, view }: HappeningProps): VNode {
  const { type, data, timestamp } = event;
  const changes = Object.entries(data.changes ?? {});
  return (
    <>
      <p class="happening line">
        <Doer event={event} /> <span>{happenings[type] ?? type}</span>
        <ActionOf event={event} view={view} />
        {data.checklist_item && <em>{data.checklist_item.title}</em>}
        {data.approval && <ApprovalOf approval={data.approval} />}
        {data.message && <em>{data.message.to}</em>}
        {data.clock && <em>{data.clock.rung}</em>}
        {data.rule?.chain && <em>{data.rule.chain.map(({ rule }) => rule).join(' → ')}</em>}
        <span class="muted">
          <Instant at={new Date(timestamp)} isShort />
        </span>
      </p>
      <CauseOf event={event} view={view} />
      {changes.length > 0 && type !== 'task.created' && (
        <ul class="changes">
          {changes.map(([name, change]) => (
            <li>
              <span class="muted">{labelOf(name)}</span> <Change change={change} show={shownBy(view, name)} />
            </li>
          ))}
        </ul>
      )}
      {failuresOf(data).map((error) => (
        <p class="fault">
          <Sayings all={[said(error)]} />
        </p>
      ))}
    </>
  );
}

interface HappeningProps {
  readonly event: HistoryEvent;
  readonly view: HistoryView;
}

/** Why the execution or a message failed, or those of its steps after which it went on. */
function failuresOf({ execution, message }: HistoryEvent['data']): Message[] {
  const { errors = [], outcomes = [] } = execution ?? {};
  const passed = outcomes.flatMap(({ name, status, because }) =>
    because === undefined || status === 'Skipped' ? [] : say`${name}: ${sentence(because)}`,
  );
  return [...errors, ...passed, ...(message ? [message.cause] : [])];
}

function ApprovalOf({ approval: { id, decision, comment } }: ApprovalOfProps): VNode {
  return (
    <>
      {id !== null && <em>{id}</em>}
      {decision !== undefined && <span>{decisionNames[decision] ?? decision}</span>}
      {comment && <span class="muted">{comment}</span>}
    </>
  );
}

interface ApprovalOfProps {
  readonly approval: NonNullable<HistoryEvent['data']['approval']>;
}

/** The action that an event is about or came by, leading who administers the workflow to how it went. */
function ActionOf({ event, view }: HappeningProps): VNode | null {
  const { action, id } = event.data.execution ?? {};
  if (action == null) return null;
  const name = view.scope.workflow.actions.find((one) => one.id === action)?.name ?? action;
  const path = id === undefined ? undefined : adminPathOf(useReader(), view, id);
  return path === undefined ? <em>{name}</em> : <a href={path}>{name}</a>;
}

function Doer({ event }: { readonly event: HistoryEvent }): VNode {
  const { actor, clock, rule, hook } = event.data;
  if (clock) return <Starter by={{ kind: 'clock', id: clock.id }} />;
  if (rule ?? hook) return <Starter by={{ kind: 'rule', id: rule?.id ?? hook?.rule ?? '' }} />;
  const { kind, id, name } = actor;
  if (kind === 'user') return <Somebody email={id ?? ''} />;
  if (kind === 'key') return <strong>API ({name ?? id ?? ''})</strong>;
  if (kind === 'definition') return <strong>Definition</strong>;
  if (kind === 'system') return <strong>System</strong>;
  return <Starter by={{ kind, id: id ?? null }} />;
}

function Starter({ by }: { readonly by: ShownRun['by'] }): VNode {
  return <strong class="starter">{starterName(by)}</strong>;
}

/** By what it came, unless that is said already, and why, as far as the runs at hand tell. */
function CauseOf({ event: { data }, view }: HappeningProps): VNode | null {
  const { actor, cause, execution } = data;
  if (!cause || data.rule || data.clock) return null;
  const run = view.runs?.find((one) =>
    one.execution === null
      ? one.by.kind === cause.kind && one.by.id === cause.id && one.event === cause.event
      : one.execution === execution?.id,
  );
  const by = actor.kind === cause.kind ? undefined : cause;
  return <ByItself by={by} because={run?.because ?? null} />;
}

/** How the values of a key are shown; of keys that are no more, as texts. */
function shownBy({ scope }: HistoryView, name: string): ShownField {
  const property = scope.workflow.schema.byName.get(name);
  if (property?.filter?.subject.of === 'assignee') return { as: 'person' };
  return property?.view?.show ?? { as: 'line' };
}

function Change({ change, show }: ChangeProps): VNode {
  const { added = [], removed = [], linked = [], unlinked = [] } = change;
  const came = [...added.map(({ filename }) => filename), ...linked];
  const went = [...removed.map(({ filename }) => filename), ...unlinked];
  if (came.length + went.length > 0)
    return (
      <>
        {came.map((what) => (
          <ins>{what} </ins>
        ))}
        {went.map((what) => (
          <del>{what} </del>
        ))}
      </>
    );
  return (
    <>
      <del>{inLine(change.from, show)}</del> → <ins>{inLine(change.to, show)}</ins>
    </>
  );
}

interface ChangeProps {
  readonly change: HistoryChange;
  readonly show: ShownField;
}

/** A value among others, in a line and as its reader writes such values. */
function inLine(value: Output | undefined, show: ShownField): ComponentChildren {
  const isBlank = value === undefined || value === null || value === '';
  if (isBlank || (Array.isArray(value) && value.length === 0)) return 'blank';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value !== 'string' || plain.has(show.as)) return <Value show={show} value={value} />;
  return value.length > 200 ? `${value.slice(0, 200)}…` : value;
}

/** Whose texts do not say it all. */
const plain: ReadonlySet<ShownField['as']> = new Set(['day', 'instant', 'number', 'person', 'tags']);

const happenings: Readonly<Record<string, string>> = {
  'task.created': 'created the task',
  'task.updated': 'changed',
  'task.deleted': 'deleted the task',
  'checklist_item.created': 'added to the checklist',
  'checklist_item.updated': 'changed in the checklist',
  'checklist_item.deleted': 'removed from the checklist',
  'execution.started': 'started',
  'execution.succeeded': 'finished',
  'execution.failed': 'could not finish',
  'execution.cancelled': 'cancelled',
  'message.failed': 'could not send a message of',
  'rule.loop': 'was not started, because its actions would start each other forever:',
  'rule.throttled': 'was held back, because it ran too often on this task',
  'clock.fired': 'reached',
  'clock.missed': 'was noticed too late to act on:',
  'hook.received': 'was called by another system',
  'approval.requested': 'asked for approval',
  'approval.decided': 'decided on an approval',
  'approval.stale': 'approval no longer counts, because the approved values changed or it expired',
  'approval.complete': 'approvals complete',
  'approval.overridden': 'overrode the approvals',
};

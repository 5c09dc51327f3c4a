import { type ComponentChildren, type VNode } from 'preact';
import { type Output, type ShownField } from '../../workflows/fields/field-type.js';
import { type Message } from '../../common/message.js';
import { Sayings } from '../parts/sayings.js';
import { Instant } from '../parts/time.js';
import { shownAs, Somebody, Value } from '../parts/value.js';
import { starterName } from '../parts/starter-name.js';
import { labelOf } from '../task-shown.js';
import { type HistoryChange, type HistoryEvent, type TaskData } from './task-data.js';
import { adminPathOf } from './task-view.js';

export interface ActsView extends Pick<TaskData, 'reader' | 'scope'> {
  readonly path: string;
}

/** One sentence: who did something, what changed, and why. The errors of a failure follow. */
export function ActLine({ act, view }: ActProps): VNode {
  const { event, changes } = act;
  return (
    <>
      <p class="happening">
        <Doer event={event} /> <WhatHappened act={act} view={view} />
        {changes.map(([name, change]) => (
          <span class="change">
            {' · '}
            {!isTold(act, name) && <span class="muted">{labelOf(name)} </span>}
            <Change change={change} show={shownBy(view, name)} />
          </span>
        ))}
        <Cause event={event} />{' '}
        <span class="muted small">
          <Instant at={new Date(event.timestamp)} isShort />
        </span>
      </p>
      {failuresOf(event.data).map((error) => (
        <p class="fault">
          <Sayings all={[error]} />
        </p>
      ))}
    </>
  );
}

interface ActProps {
  readonly act: Act;
  readonly view: ActsView;
}

/**
 * Whether the verb of the sentence names the property. If so, the change is shown without a label. Changes of
 * the stage never have a label.
 */
function isTold({ event: { data }, changes }: Act, name: string): boolean {
  if (data.checklist_item) return name === 'status';
  return name === 'Stage' || (changes.length === 1 && data.execution === null);
}

function WhatHappened({ act: { event, changes }, view }: ActProps): VNode {
  const { type, data } = event;
  const { checklist_item: item, approval, message, clock, rule } = data;
  if (type === 'task.updated' && data.execution === null) return <>{verbOf(changes)}</>;
  const status = changes.some(([name]) => name === 'status') ? item?.status : undefined;
  const verb = verbs[type] ?? verbs[status ?? approval?.decision ?? ''] ?? (item ? 'changed' : type);
  const about = [item?.title, approval?.id, clock?.rung, rule?.chain?.map(({ rule }) => rule).join(' → ')];
  return (
    <>
      {verb} {!item && !approval && <ActionOf event={event} view={view} />}
      {about.map((name) => name && <em>{name}</em>)}
      {message && (
        <>
          {' to '}
          <Somebody email={message.to} />
        </>
      )}
      {approval?.for && (
        <>
          {' for '}
          <Somebody email={approval.for} />
        </>
      )}
      {approval?.comment && <span class="muted">: {approval.comment}</span>}
    </>
  );
}

function verbOf(changes: Act['changes']): string {
  const [name] = changes.map(([name]) => name);
  if (name === undefined || changes.length > 1) return 'changed';
  return name === 'Stage' ? 'moved the task' : name === 'Assigned To' ? 'assigned the task' : `changed ${labelOf(name)}`; // prettier-ignore
}

/** Maps the type of an event, the status of a checklist item, or a decision to a verb. */
const verbs: Readonly<Record<string, string>> = {
  'task.created': 'created the task',
  'task.updated': 'performed',
  'task.deleted': 'deleted the task',
  'execution.started': 'started',
  'execution.succeeded': 'performed',
  'execution.failed': 'could not finish',
  'execution.cancelled': 'cancelled',
  'message.failed': 'could not send a message of',
  'rule.loop': 'was not started, because this chain of rules might never end:',
  'rule.throttled': 'was held back, because it ran too often on this task',
  'clock.fired': 'reached',
  'clock.missed': 'was missed:',
  'hook.received': 'was called by another system',
  'checklist_item.created': 'added to the checklist:',
  'checklist_item.deleted': 'removed from the checklist:',
  Completed: 'completed',
  Skipped: 'skipped',
  Blank: 'reopened',
  'approval.requested': 'asked for approval:',
  'approval.stale': 'ended an approval, because what it covers changed:',
  'approval.complete': 'completed the approvals',
  approve: 'approved',
  reject: 'declined',
  withdraw: 'took back a decision on',
};

/** Why the execution or a message failed. */
function failuresOf({ execution, message }: HistoryEvent['data']): Message[] {
  return [...(execution?.errors ?? []), ...(message ? [message.cause] : [])];
}

interface OfEvent {
  readonly event: HistoryEvent;
  readonly view: ActsView;
}

function ActionOf({ event, view }: OfEvent): VNode | null {
  const { action, id } = event.data.execution ?? {};
  if (action == null) return null;
  const name = view.scope.workflow.actions.find((one) => one.id === action)?.name ?? action;
  const path = id === undefined ? undefined : adminPathOf(view, id);
  return path === undefined ? <em>{name}</em> : <a href={path}>{name}</a>;
}

function Doer({ event }: { readonly event: HistoryEvent }): VNode {
  const { actor, clock, rule, hook } = event.data;
  const { kind, id = '', name } = actor;
  const starter = clock
    ? { kind: 'clock', id: clock.id }
    : { kind: 'rule', id: rule?.id ?? hook?.rule ?? '' };
  if (clock ?? rule ?? hook) return <strong class="starter">{starterName(starter)}</strong>;
  if (kind === 'user') return <Somebody email={id} />;
  if (kind === 'key') return <strong>API ({name ?? id})</strong>;
  if (kind === 'definition') return <strong>Definition</strong>;
  if (kind === 'system') return <strong>System</strong>;
  if (kind === 'form') return <strong>{`Form ${id} (${name ?? ''})`}</strong>;
  return <strong class="starter">{starterName({ kind, id: actor.id ?? null })}</strong>;
}

/**
 * Ends the sentence with what caused the change, such as a rule. Null if there is no cause, or if the
 * sentence already names it.
 */
function Cause({ event: { data } }: Pick<OfEvent, 'event'>): VNode | null {
  const { actor, cause, rule, clock } = data;
  if (!cause || rule || clock || actor.kind === cause.kind) return null;
  return <span class="muted">{`, by ${starterName(cause)}`}</span>;
}

/** How the values of a property are shown. Values of properties that no longer exist are shown as text. */
function shownBy({ scope }: ActsView, name: string): ShownField {
  const property = scope.workflow.schema.byName.get(name);
  return property ? shownAs(property) : { as: 'line' };
}

function Change({ change, show }: { readonly change: HistoryChange; readonly show: ShownField }): VNode {
  const { added = [], removed = [], linked = [], unlinked = [] } = change;
  const came = [...added.map(({ filename }) => filename), ...linked];
  const went = [...removed.map(({ filename }) => filename), ...unlinked];
  if (came.length + went.length === 0)
    return (
      <>
        <del>{inLine(change.from, show)}</del> → <ins>{inLine(change.to, show)}</ins>
      </>
    );
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
}

/** A value within a line, in the reader's format. */
function inLine(value: Output | undefined, show: ShownField): ComponentChildren {
  const isBlank = value === undefined || value === null || value === '';
  if (isBlank || (Array.isArray(value) && value.length === 0)) return 'blank';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value !== 'string' || formattedTypes.has(show.as)) return <Value show={show} value={value} />;
  return value.length > 200 ? `${value.slice(0, 200)}…` : value;
}

/** Values of these types are formatted, because their text alone is hard to read. */
const formattedTypes: ReadonlySet<ShownField['as']> = new Set(['day', 'instant', 'number', 'person', 'tags']);

/** One act: an event, or an execution with all its changes of the task. */
interface Act {
  readonly event: HistoryEvent;
  readonly changes: readonly (readonly [name: string, change: HistoryChange])[];
}

/** Groups events into acts, in the order of their first events. Skips comments, which `Entries` shows. */
export function actsIn(events: readonly HistoryEvent[]): Act[] {
  const acts = new Map<string, HistoryEvent[]>();
  for (const event of events) {
    if (event.type === 'comment.created') continue;
    const key = keyOfAct(event);
    acts.set(key, [...(acts.get(key) ?? []), event]);
  }
  return Array.from(acts.values(), actOf);
}

/** The start and the end of an execution, and its changes of the task, form one act. */
function keyOfAct({ id, type, data: { execution } }: HistoryEvent): string {
  const isOfExecution = type === 'task.updated' || type.startsWith('execution.');
  return (isOfExecution && execution?.id) || id;
}

function actOf(events: readonly HistoryEvent[]): Act {
  const told = events.find(({ type }) => type.startsWith('execution.')) ?? events[0];
  if (!told) throw new Error('An act has events.');
  const changes = events.flatMap(({ type, data }) =>
    type === 'task.created' ? [] : Object.entries(data.changes ?? {}),
  );
  return { event: told, changes };
}

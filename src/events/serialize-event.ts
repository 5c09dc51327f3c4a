import { shownEventId, type Cause, type ChainLink, type EventSource, sourceOf } from '../common/origin.js';
import { adminEventTypes } from '../common/named-by-features.js';
import { type Holder } from '../../packages/fair/semaphore.js';
import { pauses } from '../../packages/fair/turn.js';
import { type EventNames } from './event-names.js';
import { english, messageOfText } from '../common/message.js';
import { type Known, knownCause, knownChain } from '../workflows/model/known.js';
import { type RecordedEvent } from './events.repository.js';
import {
  type Actor,
  type EventCause,
  type EventExecution,
  type EventHead,
  type EventTask,
  toldErrors,
} from './event.dto.js';
import { jsonOfChanges, taskChanges } from './task-changes.js';

/** Serializes events one by one, and lets other work run in between. */
export async function serializeEvents(
  events: readonly RecordedEvent[],
  names: EventNames,
  holder?: Holder,
): Promise<ShownEvent[]> {
  const pause = pauses(holder);
  const shown: ShownEvent[] = [];
  for (const event of events) {
    shown.push(serializeEvent(event, names));
    await pause();
  }
  return shown;
}

export interface ShownEvent {
  readonly type: string;
  readonly json: string;
  readonly changed: readonly string[];
}

export function serializeEvent(event: RecordedEvent, names: EventNames): ShownEvent {
  const { type } = event;
  const source = sourceOf(event.origin);
  const changes = type.startsWith('task.') ? taskChanges(event, names) : undefined;
  const workflow = event.workflowId === null ? null : names.slugOf(event.workflowId);
  const data = {
    workspace: names.workspace.slug,
    workflow,
    task: taskOf(event, workflow, names),
    actor: actorOf(event, source, names),
    execution: executionOf(event, source, names),
    request_id: source.request ?? null,
    cause: shownCause(source.cause, names.known),
    ...(source.via !== undefined && { via: source.via }),
    ...(source.silent === true && { silent: true }),
  };
  const more = changes ? `"changes":${jsonOfChanges(changes)}` : subjectOf(event, names);
  const head: EventHead = { id: shownEventId(event.id), type, timestamp: event.happenedAt.toISOString() };
  const text = JSON.stringify(data);
  const json = `${JSON.stringify(head).slice(0, -1)},"data":${more ? `${text.slice(0, -1)},${more}}` : text}}`;
  return { type, json, changed: changes?.map(({ name }) => name) ?? [] };
}

function shownCause(cause: Cause | undefined, known: Known): EventCause | null {
  const told = knownCause(cause, known);
  return told ? { kind: told.kind, id: told.id, event: told.event, chain: told.chain } : null;
}

function taskOf(
  { publicId, uniqueValue, version }: RecordedEvent,
  workflow: string | null,
  names: EventNames,
): EventTask | null {
  if (publicId === null || workflow === null || version === null) return null;
  return { id: publicId, unique_id: uniqueValue, url: names.taskUrlOf(workflow, publicId), version };
}

function actorOf({ type, about }: RecordedEvent, source: EventSource, names: EventNames): Actor {
  const isExecution = type.startsWith('execution.') && type !== 'execution.cancelled';
  const user = (isExecution ? about?.['performer'] : (about?.['author'] ?? source.user)) ?? null;
  const email = typeof user === 'string' ? names.userOf(user) : null;
  const by = source.isBound ? source.key : undefined;
  if (email !== null) return { kind: 'user', id: email, ...(by !== undefined && { key: by }) };
  if (source.key !== undefined) return { kind: 'key', id: source.key, name: names.keyOf(source.key) };
  if (source.cause) {
    const { kind, id, workflow } = source.cause;
    return names.known(workflow) ? { kind, id } : { kind };
  }
  if (source.form) return { kind: 'form', id: source.form.id, name: source.form.reference };
  if (source.definition === undefined) return { kind: 'system' };
  return { kind: 'definition', version: source.definition, name: source.name ?? null };
}

/** The execution of an event. An execution that made a change has succeeded: failure rolls changes back. */
function executionOf(
  { type, about }: RecordedEvent,
  source: EventSource,
  names: EventNames,
): EventExecution | null {
  if (!type.startsWith('execution.')) {
    if (source.execution === undefined || !names.known(source.workflow)) return null;
    const performer = names.userOf(source.user ?? null);
    return { id: source.execution, action: source.action ?? null, performer, status: 'Success' };
  }
  const { id, action, performer, status } = about ?? {};
  const known = { id, action, performer: userIn(performer, names), status };
  if (type === 'execution.started') return known;
  const isUnavailable = about?.['unavailable'] === true;
  const end = { errors: toldErrors(about ?? {}, names.known), outcomes: about?.['outcomes'] ?? [] };
  return { ...known, ...end, ...(isUnavailable && { unavailable: true }) };
}

const userIn = (id: unknown, names: EventNames): string | null =>
  names.userOf(typeof id === 'string' ? id : null);

/** The subject of an event, as a key of its data. Undefined for an execution, which has a key of its own. */
function subjectOf(event: RecordedEvent, names: EventNames): string | undefined {
  const [kind = ''] = event.type.split('.');
  if (kind === 'execution') return undefined;
  const about = event.about ?? {};
  const serialize = isOfAdministration(event.type) ? administered : (subjects.get(kind) ?? elementOf(kind));
  const subject = serialize(about, event, names);
  const changes = event.type === 'checklist_item.updated' ? itemChanges(subject, event, names) : undefined;
  return `"${kind}":${JSON.stringify(subject)}${changes ? `,"changes":${JSON.stringify(changes)}` : ''}`;
}

type Item = Readonly<Record<string, unknown>>;

type SubjectOf = (about: Item, event: RecordedEvent, names: EventNames) => Item;

/** Shows an element of a definition, such as a form: `{ form: id, … }` in `about` becomes `{ id, … }`. */
const elementOf =
  (kind: string): SubjectOf =>
  ({ [kind]: id, ...more }) => ({ id, ...more });

/** Maps the first word of an event's type to the subject's serializer. `elementOf` is for other words. */
const subjects = new Map<string, SubjectOf>([
  ['comment', (about, _, names) => commentOf(about, names)],
  ['approval', (about, _, names) => approvalOf(about, names)],
  ['rule', (about, _, names) => ruleOf(about, names)],
  ['hook', ({ rule, webhook_id }) => ({ rule, webhook_id })],
  ['message', messageOf],
  ['definition', ({ version }) => ({ version })],
  ['checklist_item', itemOf],
]);

function commentOf(about: Item, names: EventNames): Item {
  return {
    author: userIn(about['author'], names) ?? about['said_by'] ?? 'API',
    body: about['body'],
    timestamp: new Date(String(about['created_at'])).toISOString(),
  };
}

function ruleOf({ rule: id, chain }: Item, names: EventNames): Item {
  return { id, ...(chain !== undefined && { chain: knownChain(chain as ChainLink[], names.known) }) };
}

/** Whether only administrators see events of this type. */
export const isOfAdministration = (type: string): boolean => adminEventTypes.includes(type);

/** The user, key or webhook of an event. `changed` has only names of columns: the values may be secret. */
function administered(about: Item, { type }: RecordedEvent, names: EventNames): Item {
  const { expires_at: end, id, ...shown } = about;
  return {
    ...(type.startsWith('user.') ? { email: userIn(id, names) } : { id }),
    ...shown,
    ...(end !== undefined && { expires_at: typeof end === 'string' ? new Date(end).toISOString() : null }),
  };
}

/** The message of an event, with the reason of the failure in English. */
function messageOf(about: Item): Item {
  const { id, kind, to, subject, cause, tries } = about;
  return { id, kind, to, subject, cause: english(messageOfText(String(cause))), tries };
}

/** The approval of an event. Replaces ids of users by e-mails, and leaves out absent values. */
function approvalOf(about: Item, names: EventNames): Item {
  const { action, group, decision, comment } = about;
  return {
    action,
    id: group,
    ...(decision !== undefined && { decision }),
    ...(about['by'] !== undefined && { by: userIn(about['by'], names), for: userIn(about['for'], names) }),
    ...(comment !== undefined && { comment }),
  };
}

function itemOf(about: Item, { workflowId }: RecordedEvent, names: EventNames): Item {
  const { id, title, status, editable, assignee, stage } = about;
  return {
    id,
    title,
    status,
    editable,
    'Assigned To': userIn(assignee, names),
    Stage: workflowId === null ? null : names.stageOf(workflowId, Number(stage)),
  };
}

function itemChanges(item: Item, event: RecordedEvent, names: EventNames): Item {
  const before = itemOf(event.valuesFrom ?? {}, event, names);
  const changed = ['title', 'status', 'Assigned To', 'Stage'].filter((name) => before[name] !== item[name]);
  return Object.fromEntries(changed.map((name) => [name, { from: before[name], to: item[name] }]));
}

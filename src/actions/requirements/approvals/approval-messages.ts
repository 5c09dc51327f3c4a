import { type Message, say, sentence } from '../../../common/message.js';
import { type StaleColumn } from '../../../common/database/json-columns.js';
import { type TaskSchema } from '../../../workflows/fields/task-schema.js';
import { type Decision } from './approvals.repository.js';
import { type JudgedDecision, type JudgedGroup } from './judge-approvals.js';

export function messagesOfGroup(judged: JudgedGroup, schema: TaskSchema): Message[] {
  if (judged.need === 'unneeded') return [];
  if (judged.need === 'broken') return [say`${judged.group.id}: when could not be evaluated`];
  return [...missing(judged, schema), ...rejections(judged, schema), ...ended(judged, schema)];
}

function missing(
  { group: { id, count }, given, reachable, eligible, open }: JudgedGroup,
  schema: TaskSchema,
): Message[] {
  if (given === count) return [];
  if (reachable < count) {
    const who = emailsOf([...eligible], schema);
    return [
      who === ''
        ? say`cannot be met: ${id} needs ${count}, nobody may`
        : say`cannot be met: ${id} needs ${count}, only ${who} may`,
    ];
  }
  const more = count - given;
  const who = emailsOf(open, schema);
  return [
    more === 1
      ? say`needs 1 more approval of ${id}: ${who} may`
      : say`needs ${more} more approvals of ${id}: ${who} may`,
  ];
}

function rejections({ decisions }: JudgedGroup, schema: TaskSchema): Message[] {
  return decisions
    .filter(({ state, decision }) => state === 'counts' && decision.decision === 'reject')
    .map(
      ({ decision: { byId, comment } }) => say`was rejected by ${emailOf(byId, schema)}: ${comment ?? ''}`,
    );
}

/** The reasons why approvals no longer count, without repetition; empty if the group has enough approvals. */
function ended({ group, given, decisions }: JudgedGroup, schema: TaskSchema): Message[] {
  if (given === group.count) return [];
  const reasons = new Map<string, Message>();
  for (const judged of decisions) {
    if (judged.decision.decision !== 'approve') continue;
    const reason = whyEnded(judged, schema);
    if (reason !== undefined) reasons.set(JSON.stringify(reason), reason);
  }
  return [...reasons.values()].map((reason) => say`an approval is stale: ${sentence(reason)}`);
}

/** Why a decision no longer counts; undefined if it counts or was withdrawn. */
export function whyEnded(
  { state, decision, coversTooLittle }: JudgedDecision,
  schema: TaskSchema,
): Message | undefined {
  if (state === 'expired') return 'it expired';
  if (state !== 'stale') return undefined;
  return coversTooLittle ? 'by the definition it now covers more' : whyStale(decision.because, schema);
}

export function whyStale(because: Decision['because'] | StaleColumn, schema: TaskSchema): Message {
  const { stage, parts = [] } = because ?? {};
  const left = schema.stages.all.find(({ id }) => id === stage);
  if (stage !== undefined)
    return left ? say`the task has left ${left.name} since` : 'the task has left its stage since';
  const names = [...new Set(parts.map((part) => nameOfPart(part, schema)))].toSorted();
  const listed = names.join(', ');
  return names.length === 1 ? say`${listed} has changed since` : say`${listed} have changed since`;
}

export function nameOfPart(part: string, { properties, links, uniqueId }: TaskSchema): string {
  const [side = ''] = part.split('/');
  if (part === '#') return uniqueId?.name ?? 'Unique ID';
  if (part === '@') return 'Assigned To';
  const name = links.get(side)?.name ?? properties.find(({ fieldId }) => fieldId === part)?.name;
  return name ?? 'a removed field';
}

const emailOf = (id: string, { users }: TaskSchema): string => users.get(id)?.email ?? '';

function emailsOf(ids: readonly string[], schema: TaskSchema): string {
  return ids.map((id) => emailOf(id, schema)).join(', ');
}

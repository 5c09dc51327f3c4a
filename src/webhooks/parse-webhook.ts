import { eventTypes } from '../common/named-by-features.js';
import { relationships } from '../workflows/model/kinds/relationships.kind.js';
import { fields } from '../workflows/model/kinds/fields.kind.js';
import { stages } from '../workflows/model/kinds/stages.kind.js';
import { users } from '../workflows/model/kinds/users.kind.js';
import { readPayload } from '../common/http/read-dto.js';
import { didYouMean } from '../common/did-you-mean.js';
import { type FieldErrors } from '../common/field-errors.js';
import { say, sentence } from '../common/message.js';
import { randomId } from '../common/random-id.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { pauses } from '../../packages/fair/turn.js';
import { isStorable } from '../common/text.js';
import { checkInSteps } from './check-webhook.js';
import { reportTo, scopeOf } from '../workflows/model/check/kit.js';
import { type WebhookDefinition } from './webhook-definition.js';
import { storedDefinition } from '../workflows/model/stored-definition.js';
import { type Workspace } from '../workflows/model/workspace.js';
import { type Replayed } from './deliveries.repository.js';
import { EnablePayload, ReplayPayload, WebhookPayload } from './webhook.dto.js';
import { type Resumption } from './webhooks.repository.js';

/** Reads the payload of a webhook; `known` is the id of an existing one. Throws all refusals at once. */
export async function parseWebhook(
  workspace: Workspace,
  payload: JsonObject,
  known?: string,
): Promise<WebhookDefinition> {
  const { value, errors } = readPayload(WebhookPayload, payload, 'a webhook');
  if (known !== undefined && (value.id ?? known) !== known) errors.add('id', 'cannot be changed');
  const { workflows, fields, when, headers } = value;
  const webhook = {
    id: value.id ?? known ?? randomId('wh'),
    url: value.url ?? '',
    events: knownEvents(value.events ?? [], errors),
    ...(workflows && { workflows: [...workflows] }),
    ...(fields && { fields: [...fields] }),
    ...(typeof when === 'string' && { when }),
    include: value.include ?? 'changes',
    // Taken from the payload, because the library's copy lacks keys such as `constructor`.
    ...(headers && { headers: textsOf(payload.get('headers') as JsonObject, errors) }),
  };
  const refused = new Set(errors.fields.map(([name]) => name));
  const report = reportTo((holder, key, message, as = 'fault') => {
    const [name] = Object.entries(webhook).find(([, value]) => value === holder) ?? [String(key)];
    const shown = name === 'headers' ? say`${key}: ${sentence(message)}` : message;
    if (as === 'fault' && !refused.has(name)) errors.add(name, shown);
  });
  const pause = pauses({ workspaceId: workspace.id });
  const steps = checkInSteps(webhook, scopeOf(storedDefinition(workspace.rows, namedByWebhooks)), report);
  while (steps.next().done !== true) await pause();
  errors.throwIfAny();
  return webhook;
}

const namedByWebhooks = [users, stages, fields, relationships];

function knownEvents(given: readonly string[], errors: FieldErrors): string[] {
  given
    .filter((type) => !eventTypes.includes(type))
    .forEach((type, index) => {
      // A payload may have a thousand unknown types, so only the first ones get a suggestion.
      const hint = index < 20 ? didYouMean(type, eventTypes) : '';
      errors.add('events', say`is not a type of event: ${type}${hint}`);
    });
  return [...new Set(given)].filter((type) => eventTypes.includes(type));
}

function textsOf(headers: JsonObject, errors: FieldErrors): Record<string, string> {
  const entries: [string, string][] = [];
  for (const [name, value] of headers)
    if (typeof value === 'string' && value.length <= 4096 && isStorable(name + value))
      entries.push([name, value]);
    else errors.add('headers', say`${name}: is not a text of at most 4096 characters`);
  return Object.fromEntries(entries);
}

export function parseReplay(payload: JsonObject): Replayed {
  const { value, errors } = readPayload(ReplayPayload, payload, 'a replay');
  const { deliveries, from, to, state } = value;
  if ((from == null) !== (to == null)) errors.add('base', 'needs both from and to');
  if ([deliveries, from ?? to, state].filter((way) => way != null).length !== 1)
    errors.add('base', 'needs exactly one of deliveries, from with to, and state');
  errors.throwIfAny();
  const instant = (text?: string): string | undefined =>
    text == null ? undefined : new Date(text).toISOString();
  return {
    deliveries: deliveries ?? undefined,
    from: instant(from),
    to: instant(to),
    state: state ?? undefined,
  };
}

export function parseEnable(payload: JsonObject): Resumption {
  const { value, errors } = readPayload(EnablePayload, payload, 'this request');
  errors.throwIfAny();
  return value.from ?? 'where_it_stopped';
}

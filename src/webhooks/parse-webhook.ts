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
import { isStorable } from '../common/text.js';
import { checkWebhook } from './webhooks.kind.js';
import { reportTo, scopeOf } from '../workflows/model/check/kit.js';
import { type WebhookDefinition } from './webhook-definition.js';
import { storedDefinition } from '../workflows/model/stored-definition.js';
import { type Workspace } from '../workflows/model/workspace.js';
import { ReplayPayload, WebhookPayload } from './webhook.dto.js';

/** Parses the payload of a webhook. `known` is the id of an existing webhook. Throws all errors at once. */
export function parseWebhook(workspace: Workspace, payload: JsonObject, known?: string): WebhookDefinition {
  const { value, errors } = readPayload(WebhookPayload, payload, 'a webhook');
  if (known !== undefined && (value.id ?? known) !== known) errors.add('id', 'cannot be changed');
  const { workflows, when, headers } = value;
  const webhook = {
    id: value.id ?? known ?? randomId('wh'),
    url: value.url ?? '',
    events: knownEvents(value.events ?? [], errors),
    ...(workflows && { workflows: [...workflows] }),
    ...(typeof when === 'string' && { when }),
    // Reads the headers from the payload, because class-transformer drops keys such as `constructor`.
    ...(headers && { headers: textsOf(payload.get('headers') as JsonObject, errors) }),
  };
  const refused = new Set(errors.fields.map(([name]) => name));
  const report = reportTo((holder, key, message, as = 'fault') => {
    const [name] = Object.entries(webhook).find(([, value]) => value === holder) ?? [String(key)];
    const shown = name === 'headers' ? say`${key}: ${sentence(message)}` : message;
    if (as === 'fault' && !refused.has(name)) errors.add(name, shown);
  });
  checkWebhook(webhook, scopeOf(storedDefinition(workspace.rows, namedByWebhooks)), report);
  errors.throwIfAny();
  return webhook;
}

const namedByWebhooks = [users, stages, fields, relationships];

function knownEvents(given: readonly string[], errors: FieldErrors): string[] {
  given
    .filter((type) => !eventTypes.includes(type))
    .forEach((type, index) => {
      // Only the first types get a suggestion: suggestions for a thousand unknown types would take too long.
      const hint = index < 20 ? didYouMean(type, eventTypes) || typesLike(type) : '';
      errors.add('events', say`is not a type of event: ${type}${hint}`);
    });
  return [...new Set(given)].filter((type) => eventTypes.includes(type));
}

/** Lists the types that begin like this type, or else all types. */
function typesLike(type: string): string {
  const alike = eventTypes.filter((known) => known.startsWith(type.replace(/\..*/s, '.')));
  return `; there are: ${(alike.length > 0 ? alike : eventTypes).join(', ')}`;
}

function textsOf(headers: JsonObject, errors: FieldErrors): Record<string, string> {
  const entries: [string, string][] = [];
  for (const [name, value] of headers)
    if (typeof value === 'string' && value.length <= 4096 && isStorable(name + value))
      entries.push([name, value]);
    else errors.add('headers', say`${name}: is not a text of at most 4096 characters`);
  return Object.fromEntries(entries);
}

/** Returns the ids of the deliveries to send again. Undefined means all failed deliveries. */
export function parseReplay(payload: JsonObject): readonly string[] | undefined {
  const { value, errors } = readPayload(ReplayPayload, payload, 'a replay');
  errors.throwIfAny();
  return value.deliveries;
}

import { eventTypes, type EventType, webhookContents } from '../entities/column-values.js';
import { didYouMean } from '../lib/did-you-mean.js';
import { FieldErrors } from '../lib/field-errors.js';
import { isJsonList, type Json, type JsonObject } from '../../packages/exact-json/json.js';
import { propertyNamesOf } from '../lib/described.js';
import { randomId } from '../lib/random-id.js';
import { pauses } from '../../packages/fair/turn.js';
import { isStorable } from '../schema/text-rules.js';
import { checkInSteps } from '../workspace/check/webhooks.js';
import { type Report, scopeOf } from '../workspace/check/kit.js';
import { type WebhookDefinition } from '../workspace/webhook-definition.js';
import { storedDefinition } from '../workspace/workspace-rows.js';
import { type Workspace } from '../workspace/workspace.js';
import { type Replayed } from './deliveries.repository.js';
import { EnablePayload, ReplayPayload, WebhookPayload } from './webhook.dto.js';
import { type Resumption } from './webhooks.repository.js';
import { type Message, say, sentence } from '../lib/message.js';

/** Reads the payload of a webhook; `id` is the one that it has already. Throws every refusal at once. */
export async function parseWebhook(
  workspace: Workspace,
  payload: JsonObject,
  id?: string,
): Promise<WebhookDefinition> {
  const errors = new FieldErrors();
  refuseUnknown(payload, propertyNamesOf(WebhookPayload), 'a webhook', errors);
  const read = new Reader(payload, errors);
  const webhook = {
    id: read.id(id),
    url: read.url(),
    events: read.events(),
    ...given('workflows', read.texts('workflows')),
    ...given('fields', read.texts('fields')),
    ...given('when', read.text('when')),
    include: read.include(),
    ...given('headers', read.headers()),
  };
  const known = new Set(errors.fields.map(([name]) => name));
  const report: Report = (holder, key, message, as = 'fault') => {
    const [name] = Object.entries(webhook).find(([, value]) => value === holder) ?? [String(key)];
    const shown = name === 'headers' ? say`${key}: ${sentence(message)}` : message;
    if (as === 'fault' && !known.has(name)) errors.add(name, shown);
  };
  const pause = pauses({ workspaceId: workspace.id });
  const steps = checkInSteps(webhook, scopeOf(storedDefinition(workspace.rows)), report);
  while (steps.next().done !== true) await pause();
  errors.throwIfAny();
  return webhook;
}

function given<K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [key in K]?: V });
}

function refuseUnknown(
  payload: JsonObject,
  names: readonly string[],
  what: string,
  errors: FieldErrors,
): void {
  for (const name of payload.keys())
    if (!names.includes(name)) errors.add(name, say`is not a field of ${what}${didYouMean(name, names)}`);
}

const MAX_ITEMS = 1000;

/** Reads one key after the other, and notes what is wrong with it. */
class Reader {
  constructor(
    private readonly payload: JsonObject,
    private readonly errors: FieldErrors,
  ) {}

  id(known: string | undefined): string {
    const id = this.text('id') ?? known ?? randomId('wh');
    if (known !== undefined && id !== known) this.errors.add('id', 'cannot be changed');
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(id))
      this.errors.add('id', 'may hold 1 to 64 letters, digits, _ and - only');
    return id;
  }

  url(): string {
    const url = this.text('url');
    if (url === undefined) this.refuse('url', 'is required');
    if (url !== undefined && (url === '' || url.length > 2048))
      this.refuse('url', 'is not of 1 to 2048 characters');
    return url ?? '';
  }

  events(): EventType[] {
    const events = this.texts('events');
    if (events === undefined) this.refuse('events', 'is required');
    const unknown = (events ?? []).filter((type) => !isEventType(type));
    unknown.forEach((type, index) => {
      // There may be a thousand.
      const hint = index < 20 ? didYouMean(type, eventTypes) : '';
      this.errors.add('events', say`is not a type of event: ${type}${hint}`);
    });
    return [...new Set(events)].filter(isEventType);
  }

  include(): WebhookDefinition['include'] {
    const include = this.text('include') ?? 'changes';
    const known = webhookContents.find((content) => content === include);
    if (!known) this.refuse('include', say`is not one of: ${webhookContents.join(', ')}`);
    return known ?? 'changes';
  }

  headers(): Record<string, string> | undefined {
    const headers = this.payload.get('headers') ?? null;
    if (headers === null) return undefined;
    if (!(headers instanceof Map)) {
      this.refuse('headers', 'is not an object');
      return undefined;
    }
    const entries: [string, string][] = [];
    for (const [name, value] of headers as JsonObject)
      if (typeof value === 'string' && value.length <= 4096 && isStorable(name + value))
        entries.push([name, value]);
      else this.refuse('headers', say`${name}: is not a text of at most 4096 characters`);
    return Object.fromEntries(entries);
  }

  text(name: string): string | undefined {
    const value = this.payload.get(name) ?? null;
    if (value === null) return undefined;
    if (typeof value === 'string' && isStorable(value)) return value;
    this.refuse(name, 'is not a text');
    return undefined;
  }

  texts(name: string): string[] | undefined {
    const value = this.payload.get(name) ?? null;
    if (value === null) return undefined;
    const list = isJsonList(value) ? value : [];
    const texts = list.filter((item) => isText(item));
    if (list.length === 0 || list.length > MAX_ITEMS)
      this.refuse(name, say`is not a list of 1 to ${MAX_ITEMS} texts`);
    else if (texts.length < list.length) this.refuse(name, 'holds what is not a text');
    else return texts;
    return undefined;
  }

  private refuse(name: string, message: Message): void {
    this.errors.add(name, message);
  }
}

const isText = (value: Json): value is string => typeof value === 'string' && isStorable(value);
const isEventType = (type: string): type is EventType => eventTypes.some((known) => known === type);

/** Reads what is to be sent once more. */
export function parseReplay(payload: JsonObject): Replayed {
  const errors = new FieldErrors();
  refuseUnknown(payload, propertyNamesOf(ReplayPayload), 'a replay', errors);
  const read = new Reader(payload, errors);
  const [from, to] = [instantOf('from', read, errors), instantOf('to', read, errors)];
  const [deliveries, state] = [read.texts('deliveries'), read.text('state')];
  if (state !== undefined && state !== 'failed') errors.add('state', 'is not one of: failed');
  if ((from === undefined) !== (to === undefined)) errors.add('base', 'from and to go together');
  const ways = [deliveries, from ?? to, state].filter((way) => way !== undefined);
  if (ways.length !== 1) errors.add('base', 'takes one of deliveries, from and to, and state');
  errors.throwIfAny();
  return { deliveries, from, to, state };
}

function instantOf(name: string, read: Reader, errors: FieldErrors): string | undefined {
  const text = read.text(name);
  if (text === undefined) return undefined;
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/i.test(text);
  if (isInstant && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString();
  errors.add(name, 'is not a time such as 2026-11-21T23:00:00Z');
  return undefined;
}

/** Reads where a webhook goes on. */
export function parseEnable(payload: JsonObject): Resumption {
  const errors = new FieldErrors();
  refuseUnknown(payload, propertyNamesOf(EnablePayload), 'this request', errors);
  const from = new Reader(payload, errors).text('from');
  if (from !== 'where_it_stopped' && from !== 'now')
    errors.add('from', 'is not one of: where_it_stopped, now');
  errors.throwIfAny();
  return from === 'now' ? 'now' : 'where_it_stopped';
}

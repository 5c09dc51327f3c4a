import { eventTypes } from '../../common/named-by-features.js';
import { type Json, type JsonObject } from '../../../packages/exact-json/json.js';
import { webhookContents } from '../../webhooks/webhook-definition.js';
import { FieldErrors } from '../../common/field-errors.js';
import { say } from '../../common/message.js';
import { type Webhook } from '../../webhooks/webhook.dto.js';
import { sentText } from '../parts/control.js';
import { type Administrator, type FormControl } from './admin-page.js';

/** The controls for all settings of a webhook except its id. */
export const webhookControls = ({ workflows }: Administrator): readonly FormControl[] => [
  {
    name: 'url',
    label: 'Address',
    hint: 'http or https. Events are sent by POST.',
    isRequired: true,
    ask: { by: 'line', type: 'url', maxLength: 2048 },
  },
  { name: 'events', label: 'Events', isRequired: true, ask: { by: 'options', options: eventTypes } },
  {
    name: 'workflows',
    label: 'Workflows',
    hint: 'If none is chosen, events of all workflows are sent.',
    ask: { by: 'options', options: workflows.map(({ name }) => name) },
  },
  {
    name: 'include',
    label: 'Contents',
    hint: 'The changes alone, or with the whole task.',
    ask: { by: 'option', options: webhookContents, isRequired: true },
  },
  {
    name: 'fields',
    label: 'Only changes of',
    hint: 'Names of fields, one per line. Changes of other fields are not sent. If left blank, all are.',
    ask: { by: 'lines' },
  },
  {
    name: 'when',
    label: 'Condition',
    hint: 'An expression with task and before, such as task["Amount"] != before["Amount"].',
    ask: { by: 'lines' },
  },
  {
    name: 'headers',
    label: 'Headers',
    hint: 'One per line, such as Authorization: Bearer {{secret.BOOKS}}.',
    ask: { by: 'lines' },
  },
];

export const webhookIdControl: FormControl = {
  name: 'id',
  label: 'ID',
  hint: '1 to 64 letters, digits, _ and -. If left blank, an ID is generated.',
  ask: { by: 'line', maxLength: 64 },
};

/** The settings of a webhook by the names of the controls. Workflows are given by their names. */
export function webhookValues(webhook: Webhook, { workflows }: Administrator): URLSearchParams {
  const { url, events, fields, when, include, headers } = webhook;
  const slugs = webhook.workflows ?? [];
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return new URLSearchParams([
    ['url', url],
    ...events.map((event) => ['events', event]),
    ...slugs.map((slug) => ['workflows', workflows.find((one) => one.slug === slug)?.name ?? slug]),
    ['fields', (fields ?? []).join('\n')],
    ['when', when ?? ''],
    ['include', include],
    ['headers', lines.join('\n')],
  ]);
}

/** The payload of the API for a filled-in form, without blank controls. Throws for an invalid header. */
export function payloadOf(form: URLSearchParams, { workflows }: Administrator): JsonObject {
  const textOf = (name: string): string => sentText(form.get(name) ?? '').trim();
  const named = form
    .getAll('workflows')
    .map((text) => workflows.find(({ name }) => name === text)?.slug ?? text);
  const said: readonly (readonly [name: string, value: Json, isSaid: boolean])[] = [
    ...['id', 'url', 'when', 'include'].map((name) => [name, textOf(name), textOf(name) !== ''] as const),
    ['events', form.getAll('events'), form.has('events')],
    ['workflows', named, named.length > 0],
    ['fields', linesIn(textOf('fields')), textOf('fields') !== ''],
    ['headers', headersIn(textOf('headers')), textOf('headers') !== ''],
  ];
  return new Map(said.flatMap(([name, value, isSaid]) => (isSaid ? [[name, value]] : [])));
}

const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function headersIn(text: string): JsonObject {
  const errors = new FieldErrors();
  const headers = linesIn(text).map((line): [string, string] => {
    const at = line.indexOf(':');
    if (at < 1) errors.add('headers', say`contains a line that is not a header: ${line.slice(0, 100)}`);
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
  errors.throwIfAny();
  return new Map<string, Json>(headers);
}

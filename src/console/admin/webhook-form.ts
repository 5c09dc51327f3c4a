import { eventTypes } from '../../common/named-by-features.js';
import { type Json, type JsonObject } from '../../../packages/exact-json/json.js';
import { webhookContents } from '../../webhooks/webhook-definition.js';
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
    ask: { by: 'options', options: workflows.map(({ slug }) => slug) },
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

/** The settings of a webhook by the names of the controls. */
export function webhookValues(webhook: Webhook): URLSearchParams {
  const { url, events, workflows, fields, when, include, headers } = webhook;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return new URLSearchParams([
    ['url', url],
    ...events.map((event) => ['events', event]),
    ...(workflows ?? []).map((slug) => ['workflows', slug]),
    ['fields', (fields ?? []).join('\n')],
    ['when', when ?? ''],
    ['include', include],
    ['headers', lines.join('\n')],
  ]);
}

/** The payload of the API for a filled-in form, without blank controls. */
export function payloadOf(form: URLSearchParams): JsonObject {
  const lines = (name: string): string[] => sentText(form.get(name) ?? '').split('\n').flatMap((line) => line.trim() || []); // prettier-ignore
  const headers = lines('headers').map((line): [string, Json] => {
    const [name = '', ...value] = line.split(':');
    return [name.trim(), value.join(':').trim()];
  });
  const settings: readonly (readonly [name: string, value: Json])[] = [
    ...['id', 'url', 'when', 'include'].map((name) => [name, lines(name).join('\n')] as const),
    ...['events', 'workflows'].map((name) => [name, form.getAll(name)] as const),
    ['fields', lines('fields')],
    ...(headers.length > 0 ? [['headers', new Map(headers)] as const] : []),
  ];
  return new Map(
    settings.filter(([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0)),
  );
}

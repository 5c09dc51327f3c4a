import { en } from './words.js';
import { randomUUID } from 'node:crypto';
import { h } from 'preact';
import { eventTypes, webhookContents } from '../../database/column-values.js';
import { FieldErrors } from '../../lib/field-errors.js';
import { say } from '../../lib/message.js';
import { type Json, type JsonObject } from '../../../packages/exact-json/json.js';
import { type Webhook } from '../../webhooks/webhook.dto.js';
import { sentText } from '../parts/control.js';
import { type AdminFormView, type Filled, askedFor } from './admin-form.js';
import { type Administrator } from './admin-pages.js';
import { webhookPath, WEBHOOKS_PATH } from './webhooks-page.js';

/** Asks all that a webhook says; `id` is that of the one that is edited. */
export function webhookForm(reader: Administrator, form: Filled, id?: string): AdminFormView {
  const { webhooks, webhook: words } = en.admin;
  const isNew = id === undefined;
  const path = isNew ? WEBHOOKS_PATH : webhookPath({ id });
  return {
    reader,
    form,
    above: { href: WEBHOOKS_PATH, name: webhooks },
    back: path,
    title: isNew ? words.add : words.editTitle(id),
    lead: words.addLead,
    action: isNew ? path : `${path}/edit`,
    button: isNew ? words.create : en.save,
    hidden: isNew ? { once: form.values.get('once') ?? '' } : {},
    controls: [
      { ...askedFor(words, 'url'), by: 'line', inputMode: 'url', maxLength: 2048, isRequired: true },
      ...(isNew ? [{ ...askedFor(words, 'id'), by: 'line', maxLength: 64 } as const] : []),
      {
        ...askedFor(words, 'events'),
        by: 'choices',
        isRequired: true,
        options: eventTypes.map((type) => [type, h('code', null, type)]),
      },
      {
        ...askedFor(words, 'workflows'),
        by: 'choices',
        options: reader.workflows.map(({ slug, name }) => [slug, name]),
      },
      {
        ...askedFor(words, 'include'),
        by: 'choice',
        options: webhookContents.map((content) => [content, words.includes[content] ?? content]),
      },
      ...(['fields', 'when', 'headers'] as const).map((name) => ({
        ...askedFor(words, name),
        by: 'lines' as const,
      })),
    ],
  };
}

/** What stands in the form of a new webhook; a form that is sent twice adds one. */
export function blankForm(): URLSearchParams {
  return new URLSearchParams({ include: 'changes', once: randomUUID() });
}

/** What stands in the form of a webhook that there is. */
export function formOf({ url, events, workflows, fields, when, include, headers }: Webhook): URLSearchParams {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return new URLSearchParams([
    ['url', url],
    ...events.map((event) => ['events', event]),
    ...(workflows ?? []).map((workflow) => ['workflows', workflow]),
    ['fields', (fields ?? []).join('\n')],
    ['when', when ?? ''],
    ['include', include],
    ['headers', lines.join('\n')],
  ]);
}

/** The payload of the API that a form says; what is blank is left out. Throws where a header is none. */
export function payloadOf(form: URLSearchParams): JsonObject {
  const entries: [string, Json][] = [
    ...['id', 'url', 'when', 'include'].flatMap((name): [string, Json][] => {
      const text = sentText(form.get(name) ?? '').trim();
      return text === '' ? [] : [[name, text]];
    }),
    ...['events', 'workflows'].flatMap((name) => listed(name, form.getAll(name))),
    ...listed('fields', linesOf(form, 'fields')),
  ];
  const headers = headersOf(form);
  return new Map<string, Json>(headers.size > 0 ? [...entries, ['headers', headers]] : entries);
}

const listed = (name: string, texts: string[]): [string, Json][] =>
  texts.length === 0 ? [] : [[name, texts]];

function linesOf(form: URLSearchParams, name: string): string[] {
  const lines = sentText(form.get(name) ?? '').split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

function headersOf(form: URLSearchParams): JsonObject {
  const errors = new FieldErrors();
  const headers = new Map<string, Json>();
  for (const line of linesOf(form, 'headers')) {
    const at = line.indexOf(':');
    if (at < 1) errors.add('headers', say`contains a line that is not a header: ${line.slice(0, 100)}`);
    else headers.set(line.slice(0, at).trim(), line.slice(at + 1).trim());
  }
  errors.throwIfAny();
  return headers;
}

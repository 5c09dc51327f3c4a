import { type HTMLElement, parse } from 'node-html-parser';
import request, { type Response } from 'supertest';
import { startService } from '../support/service.js';

/** A workspace whose form `intake` lets people outside become vendors. */
export const vendors = (form = '', more = ''): string => `
workspace: { id: acme, name: Acme, timezone: Europe/Berlin }
users: [{ email: mina@acme.test, first_name: Mina }]
workflows:
  - id: vendors
    name: Vendors
    stages: [{ name: New }, { name: Approved, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Vendor Name, type: text, required: true }
      - { name: Website, type: url }
      - { name: Risk, type: singleSelect, options: [Low, High] }
      - { name: Since, type: date }
      - { name: Regions, type: multipleSelect, options: [EMEA, APAC] }
      - { name: Price, type: currency }
      - { name: Agreed, type: checkbox }
      - { name: Contract, type: file, limit: 2 }
      - { name: Contact E-mail, type: email }
      - { name: Note, type: longText }
      - { name: Owner, type: person }
    actions:
      - { id: approve, name: Approve, steps: [{ name: Move, type: move_to_stage, stage: Approved }] }
      - id: ask
        name: Ask for the contract
        steps:
          - name: Your contract
            type: ask
            to: '{{Contact E-mail}}'
            fields: [Note, { field: Contract, required: true, types: [application/pdf] }]
            days: 7
    forms:
      - id: intake
        title: Become a vendor
        fields:
          - Vendor Name
          - { field: Website, required: true }
          - Since
          - Regions
          - Price
          - { field: Contract, types: [application/pdf], max: 1 MB }
          - Contact E-mail
          - Note
        fixed: { ID: 'V-{{random}}', Risk: Low }
        prefill: [Vendor Name]
        confirm: Contact E-mail
        per_day: 200
        embed: [https://acme.test]
${form}
${more}`;

export const formsPath = '/api/v1/workflows/vendors/forms';
export const tasksPath = '/api/v1/workflows/vendors/tasks';

export type FormsSetting = Awaited<ReturnType<typeof startForms>>;

export interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: HTMLElement;
  readonly path: string;
}

/** Values by the names of their controls; of files, their bytes. */
export type Entered = Readonly<Record<string, string | readonly string[] | File>>;

/** Starts a service that trusts the proxy of the test to tell addresses. */
export async function startForms(
  definition = vendors(),
  environment: Readonly<Record<string, string>> = {},
  { workspace, workflow } = { workspace: 'acme', workflow: 'vendors' },
) {
  const service = await startService({ WTS_TRUSTED_PROXIES: '127.0.0.0/8', ...environment });
  await service.apply(definition);
  const api = service.client(await service.key(workspace, 'admin'));
  const server = service.app.getHttpServer();

  async function path(form = 'intake'): Promise<string> {
    const forms = await api.read<{ id: string; url: string }[]>(`/api/v1/workflows/${workflow}/forms`);
    return new URL(forms.find(({ id }) => id === form)?.url ?? '').pathname;
  }

  /** What somebody sees who opens a form. */
  async function open(address?: string): Promise<Page> {
    const wanted = address ?? (await path());
    return pageOf(await request(server).get(wanted), wanted.split('?')[0] ?? '');
  }

  /** Sends a form as it was opened, some seconds later. */
  async function send(entered: Entered, page?: Page): Promise<Page> {
    const opened = page ?? (await open());
    await service.settle({ after: 5000 });
    return pageOf(await post(server, opened.path, { ...hiddenIn(opened), ...entered }), opened.path);
  }

  const tasks = (): Promise<Readonly<Record<string, unknown>>[]> =>
    api.read(`/api/v1/workflows/${workflow}/tasks`);
  return { service, api, path, open, send, tasks };
}

/** Each sender has a network of its own, as far as the service knows. */
let senders = 0;
export function nextAddress(): string {
  senders += 1;
  return `10.${Math.floor(senders / 256)}.${senders % 256}.1`;
}

export function post(
  server: Parameters<typeof request>[0],
  path: string,
  entered: Entered,
  address = nextAddress(),
): request.Test {
  const test = request(server).post(path).set('X-Forwarded-For', address);
  for (const [name, value] of Object.entries(entered))
    if (value instanceof Sent) void test.attach(name, value.bytes, value);
    else for (const one of [value].flat()) void test.field(name, one);
  return test;
}

/** A file that somebody chose. */
export class Sent {
  constructor(
    readonly filename: string,
    readonly bytes: Buffer,
    readonly contentType = 'application/octet-stream',
  ) {}
}
type File = Sent;

export const pdf = (bytes = 1000): Sent =>
  new Sent('contract.pdf', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(bytes, 'x')]));

/** The inputs that a page sends by itself. */
export function hiddenIn({ html }: Page): Entered {
  const inputs = html.querySelectorAll('input[type=hidden]');
  return Object.fromEntries(inputs.map((input) => [input.getAttribute('name') ?? '', input.getAttribute('value') ?? ''])); // prettier-ignore
}

export function pageOf({ status, headers, text }: Response, path: string): Page {
  return { status, headers, text, html: parse(text), path };
}

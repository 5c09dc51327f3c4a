import { createLogger } from '../../src/common/logger.js';
import { type Answer, type Call, startReceiver } from '../support/receiver.js';
import { startService } from '../support/service.js';

export const cases = '/api/v1/workflows/cases/tasks';
export const executions = '/api/v1/workflows/cases/executions';
const secrets = {
  WTS_SECRET_ACME__TOKEN: 'planted-token-1',
  WTS_SECRET_ACME__TWO_PARTS: 'planted+token/2&3',
  WTS_SECRET_ACME_EU__ONLY: 'planted-token-5',
  WTS_SECRET_ACME_EU_ONLY: 'planted-token-6',
};
// The kinds that a JSON value can have, and what a step can make of each.
const kinds = { amount: '{{Amount}}', count: '{{Count}}', day: '{{Day}}', tags: '{{Tags}}', open: '{{Open}}', files: '{{Files}}', none: '{{Note}}', deep: [{ stage: '{{Stage}}', for: '{{Assigned To}}' }, 1.5, true, null] }; // prettier-ignore

type Ended = { readonly status: string; readonly errors?: readonly string[] };
export type Shown = Record<string, unknown>;

/** Cases whose actions have these steps, each an `api_call` named Tell unless it says more. */
export const definition = (actions: Readonly<Record<string, readonly object[]>>): string => `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test, first_name: Mina, last_name: Ray }, { email: theo@acme.test }]
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }, { name: Busy }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Title, type: text, required: true }
      - { name: Note, type: longText }
      - { name: Amount, type: currency }
      - { name: Count, type: number }
      - { name: Day, type: date }
      - { name: Tags, type: multipleSelect, options: [A, B] }
      - { name: Open, type: checkbox }
      - { name: Fixed, type: text, editable: false }
      - { name: Files, type: file }
    actions:
${Object.entries(actions)
  .map(([id, steps]) => `      - { id: ${id}, name: Do ${id}, steps: ${stepsIn(steps)} }`)
  .join('\n')}
  - id: parts
    name: Parts
    stages: [{ name: Open }]
    fields: [{ name: Part, type: uniqueId, required: true }, { name: Remarks, type: longText }]
relationships:
  - { id: parts, kind: one_to_many, from: { workflow: cases, name: Parts }, to: { workflow: parts, name: Case } }
`;
const stepsIn = (steps: readonly object[]): string =>
  JSON.stringify(steps.map((step) => ({ name: 'Tell', type: 'api_call', ...step })));

export const actionsTo = (url: string): Record<string, readonly object[]> => ({
  // Not the default of 10 s: tests hold its answer.
  call: [
    { name: 'Begin', type: 'move_to_stage', stage: 'Busy' },
    { url: `${url}/{{ID}}`, timeout_seconds: 90 },
  ],
  brief: [{ url: `${url}/{{ID}}`, body: { id: '{{ID}}' } }],
  get: [{ method: 'GET', url: `${url}/{{ID}}` }],
  put: [{ method: 'PUT', url: `${url}/{{ID}}` }],
  templates: [
    {
      url: `${url}/{{ID}}/{{Title}}?note={{Note}}&tags={{Tags}}`,
      headers: { 'X-Title': 'of {{Title}}', 'X-Url': '{{Task URL}}', 'content-type': 'text/csv' },
      body: 'Case {{ID}} of {{Assigned To}}: {{Title}} {{Amount}}|{{Note}}|',
    },
  ],
  kinds: [{ url: `${url}/{{ID}}`, body: { ...kinds, text: 'of {{ID}}: {{Amount}}' } }],
  manifold: [{ url: `${url}/{{ID}}`, body: { texts: Array.from({ length: 170 }, () => '{{Note}}') } }],
  secret: [
    {
      url: `${url}/{{ID}}/{{secret.TOKEN}}`,
      headers: { Authorization: 'Bearer {{secret.TOKEN}}' },
      body: { token: '{{secret.TOKEN}}', text: 'with {{secret.TOKEN}}' },
    },
  ],
  parts: [{ url: `${url}/{{ID}}?key={{secret.two-parts}}` }],
  missing: [{ url: `${url}/{{ID}}`, headers: { 'X-Token': '{{secret.ONLY}}' } }],
  foreign: [{ url: `${url}/{{ID}}`, headers: { 'X-Token': '{{secret.EU_ONLY}}' } }],
  noted: [{ url: `${url}/{{ID}}`, headers: { 'X-Note': '{{Note}}' } }],
  closed: [{ url: 'http://127.0.0.1:1/', tries: 1 }],
  hasty: [{ url: `${url}/{{ID}}`, tries: 2, timeout_seconds: 0.2 }],
  patient: [{ url: `${url}/{{ID}}`, tries: 1, timeout_seconds: 120 }],
  inside: [{ url: 'http://127.0.0.2:4000/{{ID}}' }],
  nobody: [{ url: 'http://127.0.0.1:{{secret.PORT}}/{{ID}}', tries: 2 }],
  chain: [
    { name: 'First', url: `${url}/{{ID}}/first` },
    { name: 'Second', url: `${url}/{{ID}}/second`, body: { title: '{{Title}}' } },
    { name: 'Fill', type: 'update_fields', set: { Note: '{{Title}}!' } },
  ],
  score: [
    {
      url: `${url}/{{ID}}`,
      set: {
        Amount: { expression: 'body["score"] * 2' },
        Count: { expression: 'size(body["flags"])' },
        Tags: { expression: 'body["flags"]' },
        Note: { expression: 'task["Title"] + ": " + body["by"]["name"]' },
        Open: true,
      },
    },
    { name: 'Fill', type: 'update_fields', set: { Title: '{{Note}}' } },
  ],
  whole: [{ url: `${url}/{{ID}}`, set: { Note: { expression: 'body == null ? "nothing" : "something"' } } }],
});

/** A port where nobody listens: the system gives none below 32768 by itself. */
export const free = 1031;

/** The log of the tested service, the receiver of its calls, and a client. */
export const lines: string[] = [];
export const receiver = await startReceiver();
const logger = createLogger('trace', { write: (line) => void lines.push(line) });
const allow = { WTS_OUTBOUND_ALLOW: '127.0.0.1/32', WTS_SECRET_ACME__PORT: String(free) };
export const service = await startService({ ...allow, ...secrets }, logger);
afterAll(async () => {
  await service.stop();
  receiver.stop();
});
export const api = await service.clientOf(definition(actionsTo(receiver.url)));

/** A new case, whose calls go to the path of its ID. */
export async function create(ID: string, further: object = {}): Promise<void> {
  await api.post(cases, { ID, Title: 'a b', Amount: '10.5', Fixed: 'f', ...further }).expect(201);
}

export async function start(action: string, ID: string, performer?: string): Promise<string> {
  const sent = { task_id: ID, action_id: action, performed_by: performer ?? null };
  return ((await api.post(executions, sent).expect(202)).body as { id: string }).id;
}

export async function end(id: string): Promise<Ended> {
  const { body } = await api.get(`${executions}/${id}`).set('Prefer', 'wait=20').expect(200);
  const { status, errors } = body as Ended;
  return { status, ...(errors && { errors }) };
}

/** What became of each step. */
export async function stepsOf(id: string): Promise<unknown> {
  return (await api.read<Shown>(`${executions}/${id}?_verbose=true`))['steps'];
}

/** Creates a case, does the action on it and says how that ended. */
export async function perform(
  action: string,
  ID: string,
  further: object = {},
  performer?: string,
): Promise<Ended> {
  await create(ID, further);
  return end(await start(action, ID, performer));
}

export async function read(ID: string): Promise<Shown> {
  return api.read<Shown>(`${cases}/${ID}`);
}

export async function only(path: string): Promise<Call> {
  const [call, ...others] = await receiver.called(path);
  expect(others).toEqual([]);
  if (!call) throw new Error('no call');
  return call;
}

export const success = { status: 'Success' };
export const failed = (reason: string): Ended => ({ status: 'Fail', errors: [`Tell: ${reason}`] });

/** A body that goes on until the other side hangs up. */
export function endless(headers: Record<string, string>, begin: string): Answer {
  return (response) => {
    response.writeHead(200, headers);
    const chunk = 'x'.repeat(16_384);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more).on('error', () => undefined);
    response.write(begin);
    more();
  };
}

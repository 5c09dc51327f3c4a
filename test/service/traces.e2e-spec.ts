import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createLogger } from '../../src/common/logger.js';
import { type MailServer, startMailServer } from '../messages/mail-server.js';
import { type Call, type Receiver, startReceiver } from '../support/receiver.js';
import { type Client, startService, type TestService } from '../support/service.js';

const tasks = '/api/v1/workflows/tickets/tasks';
const executions = '/api/v1/workflows/tickets/executions';
const trace = '0af7651916cd43dd8448eb211c80319c';
const asked = `00-${trace}-b7ad6b7169203331-01`;

const definition = (url: string): string => `
workspace: { id: acme, name: Acme }
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Note, type: text }
      - { name: Told, type: text }
    actions:
      - id: call
        name: Call
        steps:
          - { name: Tell, type: api_call, url: '${url}/system?note=planted', method: POST, body: { Note: '{{Note}}' } }
          - { name: Mark, type: update_fields, set: { Told: planted } }
          - { name: Mail, type: send_email, to: [mina@acme.test], subject: Hello, body: '{{Note}}' }
          - { name: Post, type: post_message, channel: ops, text: '{{Note}}' }
      - id: react
        name: React
        steps: [{ name: Tell, type: api_call, url: '${url}/reaction', method: POST, body: {} }]
    rules: [{ id: told, on: field_changed, field: [Told], run: react }]
channels:
  - { id: ops, type: webhook, url: '${url}/channel' }
webhooks:
  - { id: watch, url: '${url}/watch', events: [task.updated] }
`;

/** What the SDK reads of the process. */
function useSettings(settings: Readonly<Record<string, string>>): void {
  beforeAll(() => void Object.assign(process.env, settings));
  afterAll(() => {
    for (const name of Object.keys(settings)) Reflect.deleteProperty(process.env, name);
  });
}
useSettings({ OTEL_BSP_SCHEDULE_DELAY: '50' });

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: Pick<SentSpan, 'attributes'>;
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

/** The spans that a collector was sent. */
function spansIn(collector: Receiver): SentSpan[] {
  return collector
    .of('/v1/traces')
    .flatMap(({ body }) => (JSON.parse(body) as Sent).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

const attributesOf = ({ attributes }: Pick<SentSpan, 'attributes'>): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const traceOf = ({ headers }: Pick<Call, 'headers'> = { headers: {} }): string | undefined =>
  /^00-([\da-f]{32})-[\da-f]{16}-01$/.exec(String(headers['traceparent']))?.[1];

interface Setting {
  readonly service: TestService;
  readonly receiver: Receiver;
  readonly mails: MailServer;
  readonly api: Client;
  /** Stops the others: each test stops the service. */
  stop(): Promise<void>;
}

async function start(environment: Record<string, string>, logger = createLogger('silent')): Promise<Setting> {
  const [mails, receiver] = await Promise.all([startMailServer(), startReceiver()]);
  const mail = { WTS_SMTP_URL: `smtp://127.0.0.1:${mails.port}`, WTS_MAIL_FROM: 'wts@acme.test' };
  const service = await startService({ WTS_OUTBOUND_ALLOW: '127.0.0.1/32', ...mail, ...environment }, logger);
  const api = await service.clientOf(definition(receiver.url));
  await api.post(tasks, { ID: '1', Note: 'planted' }).expect(201);
  const stop = async (): Promise<void> => {
    receiver.stop();
    await mails.stop();
  };
  return { service, receiver, mails, api, stop };
}

const begin = (api: Client): ReturnType<Client['post']> =>
  api
    .post(executions, { task_id: '1', action_id: 'call' })
    .set('Prefer', 'wait=20')
    .set('traceparent', asked);

describe('traces', () => {
  let collector: Receiver;
  let setting: Setting;

  beforeAll(async () => {
    collector = await startReceiver();
    setting = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await begin(setting.api).expect(200);
    await setting.api.get(`${tasks}/planted?planted=1`).set('User-Agent', 'planted').expect(422);
    await setting.service.settle();
    // It sends all spans before it ends.
    await setting.service.stop();
  });
  afterAll(async () => {
    await setting.stop();
    collector.stop();
  });

  function span(name: string): SentSpan {
    const first = spansIn(collector).find((span) => span.name === name);
    if (!first) throw new Error(`no span ${name}`);
    return first;
  }

  it('continue the trace of a request, with its statements, which have placeholders for values', () => {
    const route = executions.replace('tickets', ':workflow_id');
    const request = span(`POST ${route}`);
    expect(request).toMatchObject({ traceId: trace, parentSpanId: 'b7ad6b7169203331', kind: 2 });
    expect(attributesOf(request)).toEqual({
      'http.request.method': 'POST',
      'url.scheme': 'http',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(setting.service.url).port),
      'network.protocol.version': '1.1',
      'http.route': route,
      'http.response.status_code': 200,
      'wts.request': expect.any(String) as unknown,
      'wts.workspace': 'acme',
      'wts.workflow': 'tickets',
    });
    const inside = spansIn(collector).filter(({ parentSpanId }) => parentSpanId === request.spanId);
    const statements = inside.map(attributesOf).filter((attributes) => 'db.query.text' in attributes);
    for (const statement of statements) expect(statement).toMatchObject({ 'db.system.name': 'postgresql' });
    expect(JSON.stringify(statements)).toContain('$1');
  });

  it('include an execution with its effects, and the called system gets the same trace', () => {
    const execution = span('execution call');
    expect(execution.traceId).toBe(trace);
    const effect = spansIn(collector).find(({ parentSpanId, kind, name }) => parentSpanId === execution.spanId && kind === 3 && name === 'POST'); // prettier-ignore
    expect(effect && attributesOf(effect)).toEqual({
      'http.request.method': 'POST',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(setting.receiver.url).port),
      'http.response.status_code': 200,
    });
    const [call] = setting.receiver.of('/system');
    expect(call?.headers['traceparent']).toBe(`00-${trace}-${effect?.spanId ?? ''}-01`);
  });

  it("of a delivery, a message and a rule's execution are separate, and go to the receivers", async () => {
    const traceAt = (path: string): string | undefined => traceOf(setting.receiver.of(path)[0]);
    const [letter] = await setting.mails.lettersTo('mina@acme.test');
    const mailed = { headers: { traceparent: letter?.headers.get('traceparent') } };
    for (const [name, sent] of [
      ['delivery', traceAt('/watch')],
      ['message ', traceAt('/channel')],
      ['message ', traceOf(mailed)],
      ['execution react', traceAt('/reaction')],
    ] as const) {
      expect([name, sent]).not.toEqual([name, trace]);
      const own = spansIn(collector).find((one) => one.traceId === sent && one.name.startsWith(name));
      expect([name, own?.traceId]).toEqual([name, sent]);
    }
  });

  it('hold no values of tasks and no paths', () => {
    for (const { body } of collector.of('/v1/traces')) expect(body).not.toContain('planted');
  });
});

describe('a collector', () => {
  // Only here: spans that are not taken in time are lost.
  useSettings({ OTEL_EXPORTER_OTLP_TIMEOUT: '300' });

  it.each([
    ['that is gone', false],
    ['that hangs', true],
  ])('%s is logged in one line, and delays neither work nor the end', async (_, isThere) => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    if (!isThere) server.close();
    const told: string[] = [];
    let tell = (): void => undefined;
    const isTold = new Promise<void>((resolve) => (tell = resolve));
    const write = (line: string): void => {
      if (!line.includes('traces cannot be sent')) return;
      told.push(line);
      tell();
    };
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
    const setting = await start(endpoint, createLogger('warn', { write }));
    await isTold;
    for (let n = 0; n < 20; n += 1) await setting.api.get(`${tasks}/1`).expect(200);
    await setting.service.stop();
    await setting.stop();
    for (const socket of sockets) socket.destroy();
    server.close();
    expect(told).toEqual([expect.stringMatching(/^\{"level":"warn","time":"[^"]+","reason":"[^\n]{1,200}","msg":/)]); // prettier-ignore
  });
});

describe('without traces', () => {
  it('a traceparent is neither kept nor passed on', async () => {
    const setting = await start({});
    await begin(setting.api).expect(200);
    await setting.service.settle();
    const calls = ['/system', '/watch', '/reaction', '/channel'].map((path) => setting.receiver.of(path));
    expect(calls.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
    for (const { headers } of calls.flat()) expect(headers).not.toHaveProperty('traceparent');
    const [letter] = await setting.mails.lettersTo('mina@acme.test');
    expect(letter?.headers.has('traceparent')).toBe(false);
    const kept = await setting.service.dataSource.query('SELECT origin FROM executions UNION ALL SELECT origin FROM events'); // prettier-ignore
    expect(JSON.stringify(kept)).not.toContain('trace');
    await setting.service.stop();
    await setting.stop();
  });
});

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { startMailServer } from '../../messages/mail-server.js';
import { startReceiver } from '../../support/receiver.js';
import { hasRedis, startRedis } from '../../support/redis.js';
import { startService } from '../../support/service.js';
import { testOptions } from '../../support/test-options.js';
import { patience, until } from '../../support/until.js';

/** Requests that are never answered; each address of this machine is an origin of its own. */
const waiting = new Set<ServerResponse>();
const hanging = createServer((_, response) => {
  waiting.add(response);
  response.on('close', () => waiting.delete(response));
});
const hangingAt = (path: string): number => [...waiting].filter(({ req }) => req.url === path).length;
await once(hanging.listen(0, '0.0.0.0'), 'listening');
const { port } = hanging.address() as AddressInfo;
const [quick, mails] = await Promise.all([startReceiver(), startMailServer()]);
mails.behave('somebody@acme.test', 'rcpt', 'hang');
const redis = hasRedis() || process.env['CI'] ? await startRedis() : undefined;

const definition = (workspace: string, url: string, webhooks: readonly string[] = []): string => `
workspace: { id: ${workspace}, name: ${workspace} }
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }, { name: Done }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Contact, type: email }]
    actions:
      - { id: move, name: Move, steps: [{ name: Move, type: move_to_stage, stage: Done }] }
      - { id: call, name: Call, steps: [{ name: Call, type: api_call, url: "${url}", timeout_seconds: 120 }] }
      - { id: mail, name: Mail, steps: [{ name: Mail, type: send_email, to: { field: Contact }, subject: Hello, body: Hello }] }
webhooks: [${webhooks.map((to, n) => `{ id: w${n}, url: "${to}", events: [task.created] }`).join(', ')}]
`;

const service = await startService({
  WTS_OUTBOUND_ALLOW: '127.0.0.0/8',
  WTS_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
  WTS_MAIL_FROM: 'wts@acme.test',
  ...testOptions({ smtpMs: patience }),
  ...(redis && { REDIS_URL: redis.url }),
});
const acme = await service.clientOf(definition('acme', `http://127.0.0.1:${port}/call`));
const other = await service.clientOf(definition('other', quick.url));

describe('systems of one workspace that hang do not hold up another workspace', () => {
  afterAll(async () => {
    hanging.close().closeAllConnections();
    await service.stop();
    quick.stop();
    await Promise.all([mails.stop(), redis?.stop()]);
  });

  async function perform(api: typeof acme, ID: string, action_id: string, wait = 0): Promise<unknown> {
    const Contact = api === acme ? 'somebody@acme.test' : 'somebody@other.test';
    await api.post('/api/v1/workflows/cases/tasks', { ID, Contact }).expect(201);
    const started = api.post('/api/v1/workflows/cases/executions', { task_id: ID, action_id });
    return (await started.set('Prefer', `wait=${wait}`)).body;
  }

  /** Begins so many executions, not all at once: a request waits for a connection for 10 s at most. */
  async function performMany(count: number, action: string): Promise<void> {
    for (let from = 0; from < count; from += 25)
      await Promise.all(Array.from({ length: 25 }, (_, n) => perform(acme, `${action}-${from + n}`, action)));
  }

  it('mail', async () => {
    await performMany(25, 'mail');
    await until('letters hang', () => mails.connections >= 4);
    await perform(other, 'mail', 'mail');
    await mails.lettersTo('somebody@other.test');
  });

  it('webhooks', async () => {
    const origins = Array.from({ length: 100 }, (_, n) => `http://127.0.1.${n}:${port}/hook`);
    await service.apply(definition('acme', `http://127.0.0.1:${port}/call`, origins));
    await service.apply(definition('other', quick.url, [`${quick.url}/hook`]));
    await performMany(25, 'move');
    await until('receivers hang', () => hangingAt('/hook') >= 200);
    await perform(other, 'webhook', 'move');
    await quick.called('/hook');
    expect(hangingAt('/hook')).toBeGreaterThan(0);
  });

  it('calls of steps', async () => {
    await performMany(300, 'call');
    await until('calls hang', () => hangingAt('/call') >= 60);
    expect(await perform(other, 'call', 'call', 25)).toMatchObject({ status: 'Success' });
    expect(hangingAt('/call')).toBeGreaterThanOrEqual(60);
  });
});

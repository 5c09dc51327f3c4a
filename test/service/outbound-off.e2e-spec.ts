import { createServer } from '../../src/cli/service/app.js';
import { JobRunner } from '../../src/common/jobs/job-runner.js';
import { createLogger } from '../../src/common/logger.js';
import { readConfig } from '../../src/config.js';
import { startMailServer } from '../messages/mail-server.js';
import { startReceiver } from '../support/receiver.js';
import { startService } from '../support/service.js';

const definition = (url: string): string => `
workspace: { id: acme, name: Acme }
users: [{ email: theo@acme.test }]
channels: [{ id: chat, type: webhook, url: ${url}/chat }]
webhooks: [{ id: mirror, url: ${url}/hook, events: [task.created] }]
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true, autoincrement: true }
      - { name: Paper, type: file }
    actions:
      - { id: call, name: Call, steps: [{ name: Call, type: api_call, url: ${url}/call }] }
      - id: tell
        name: Tell
        steps:
          - { name: Post, type: post_message, channel: chat, text: Hello }
          - { name: Mail, type: send_email, to: ada@acme.test, subject: Hello, body: Hello }
      - { id: close, name: Close, steps: [{ name: Close, type: move_to_stage, stage: Done }] }
    schedules:
      - { id: daily, cron: 0 * * * *, create: {} }
`;

const [receiver, mails] = await Promise.all([startReceiver(), startMailServer()]);
const service = await startService({
  WTS_OUTBOUND: 'off',
  WTS_OUTBOUND_ALLOW: '127.0.0.1/32',
  WTS_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
  WTS_MAIL_FROM: 'wts@acme.test',
});
const api = await service.clientOf(definition(receiver.url));

// Rule: with WTS_OUTBOUND=off webhooks, mail, chat, api_call and schedules wait; nothing of them is lost.
describe('WTS_OUTBOUND=off', () => {
  afterAll(async () => {
    await service.stop();
    await mails.stop();
    receiver.stop();
  });

  const paths = (): string[] => [...new Set(receiver.calls.map(({ path }) => path))].sort();
  const letters = (): string[] => mails.letters.map(({ to }) => to).sort();
  const tasks = '/api/v1/workflows/cases/tasks';
  const executions = '/api/v1/workflows/cases/executions';
  const perform = async (task_id: string, action_id: string): Promise<string> => {
    const { body } = await api.post(executions, { task_id, action_id }).expect(202);
    return (body as { id: string }).id;
  };
  const status = async (id: string): Promise<unknown> =>
    (await api.read<{ status: string }>(`/api/v1/workflows/cases/executions/${id}`)).status;

  it('nothing leaves the service, and internal work goes on', async () => {
    for (const ID of ['1', '2', '3']) await api.post(tasks, { ID, 'Assigned To': 'theo@acme.test' });
    const ids = [await perform('1', 'call'), await perform('2', 'tell'), await perform('3', 'close')];
    await service.settle();
    await service.settle({ after: 2 * 3_600_000 });
    expect(await Promise.all(ids.map(status))).toEqual(['Pending', 'Success', 'Success']);
    expect([paths(), letters()]).toEqual([[], []]);
    expect(await api.read(tasks)).toHaveLength(3);
    expect(await api.refusal(tasks, { Paper: [{ remoteUrl: `${receiver.url}/file.txt` }] })).toEqual({
      Paper: ['could not be downloaded: outgoing traffic is off (WTS_OUTBOUND=off)'],
    });
  });

  it('the start warns of it', () => {
    expect(readConfig({ WTS_OUTBOUND: 'off' }).warnings).toEqual([
      'WTS_OUTBOUND is off: webhooks, mail, chat, calls and schedules wait',
    ]);
    expect(() => readConfig({ WTS_OUTBOUND: 'no' })).toThrow('WTS_OUTBOUND must be on or off');
  });

  it('everything is sent when it is on again', async () => {
    const config = { ...service.config, isOutboundOn: true };
    const { dataSource, blobs } = service;
    await dataSource.query("UPDATE executions SET lease_until = NULL WHERE status = 'Pending'");
    const app = await createServer({ config, dataSource, blobs, logger: createLogger('silent') });
    await app.init();
    await app.get(JobRunner, { strict: false }).settle();
    expect(paths()).toEqual(['/call', '/chat', '/hook']);
    expect(letters()).toEqual(['ada@acme.test', 'theo@acme.test']);
    expect((await api.read<unknown[]>(tasks)).length).toBeGreaterThan(3);
    await app.close();
  });
});

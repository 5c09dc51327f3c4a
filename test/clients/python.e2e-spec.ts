import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { startService, type TestService } from '../support/service.js';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'packages/client-python');
const run = promisify(execFile);

const hasPython =
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0;

/** Tests that need Python are left out, and say so, where there is none; with CI set they fail instead. */
const describeInPython = (name: string, tests: () => void): void => {
  if (hasPython) describe(name, tests);
  else if (process.env['CI'])
    it(`${name}: there is no Python`, () => { throw new Error('install python3, 3.10 or newer'); }); // prettier-ignore
  else describe.skip(`${name} (left out: there is no python3 of 3.10 or newer)`, tests);
};

const definition = `
workspace: { id: acme, name: Acme }
users: [{ email: mina@acme.test }]
workflows:
  - id: vendors
    name: Vendors
    stages: [{ name: New }, { name: Approved, end: true }]
    fields:
      - { name: Vendor ID, type: uniqueId, required: true }
      - { name: Vendor Name, type: text, required: true }
      - { name: Amount, type: number }
      - { name: Risk, type: singleSelect, options: [Low, High] }
      - { name: Due, type: date }
      - { name: constructor, type: text }
      - { name: 'Name/é?#', type: text }
    actions:
      - id: approve
        name: Approve
        fields: [{ field: Risk, required: true }]
        requirements: { assigned: true }
        steps: [{ name: Move, type: move_to_stage, stage: Approved }]
  - id: notes
    name: Notes
    stages: [{ name: New }]
    fields: [{ name: Text, type: text }]
`;

describeInPython('packages/client-python', () => {
  let service: TestService;
  let environment: Record<string, string | undefined>;

  beforeAll(async () => {
    service = await startService();
    await service.apply(definition);
    environment = {
      PATH: process.env['PATH'],
      // No bytecode is left beside the sources.
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONPATH: folder,
      WTS_URL: service.url,
      WTS_KEY: await service.key('acme'),
      WTS_WEBHOOK: JSON.stringify(signedWebhook()),
    };
  });
  afterAll(() => service.stop());

  it.each(['test_story', 'test_faults', 'test_webhooks'])(
    '%s',
    async (name) => {
      const args = ['-W', 'error', '-m', 'unittest', '-v', `tests.${name}`];
      await run('python3', args, { cwd: folder, env: environment }).catch((error: unknown) => {
        throw new Error(String(Reflect.get(Object(error), 'stderr')));
      });
    },
    240_000,
  );
});

/** Body, headers and secret of a webhook, as the service signs them. */
function signedWebhook(): [string, Record<string, string>, string] {
  const secret = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`;
  const id = 'evt_1';
  const body = JSON.stringify({ id, type: 'task.created', timestamp: new Date().toISOString(), data: { é: 1 } }); // prettier-ignore
  const at = new Date();
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': `v1,AAAA ${new Webhook(secret).sign(id, at, body)}`,
  };
  return [body, headers, secret];
}

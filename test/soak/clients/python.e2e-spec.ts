import { execFile, spawnSync } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { describeWith } from '../../support/describe-with.js';
import { startServiceWith } from '../../support/service.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const root = join(import.meta.dirname, '../../..');
const folder = join(root, 'packages/client-python');
const run = promisify(execFile);

const hasPython =
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0;

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
      - { name: Seen, type: datetime }
      - { name: constructor, type: text }
      - { name: 'Name/é?#', type: text }
    actions:
      - id: approve
        name: Approve
        fields: [{ field: Risk, required: true }]
        requirements: { assigned: true }
        steps: [{ name: Move, type: move_to_stage, stage: Approved }]
  - id: trees
    name: Trees
    stages: [{ name: New }]
    fields:
      - { name: Tree ID, type: uniqueId, required: true }
      - { name: Name, type: text }
      - { name: Risk, type: singleSelect, options: [Low, High] }
  - id: notes
    name: Notes
    stages: [{ name: New }]
    fields: [{ name: Text, type: text }]
`;

const demo = await readFile(join(root, 'docs/examples/onboarding.yaml'), 'utf8');
const { service, key } = await startServiceWith([definition, demo]);
const place = await temporaryFolder();

describeWith(hasPython, 'packages/client-python', 'python3 of 3.10 or newer', () => {
  const environment = {
    PATH: process.env['PATH'],
    // No bytecode is left beside the sources.
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONPATH: folder,
    WTS_URL: service.url,
    WTS_KEY: key,
  };

  const python = async (args: readonly string[], cwd: string, more: object = {}): Promise<string> => {
    // A webhook is believed for five minutes, which other tests may take.
    const own = { WTS_WEBHOOK: JSON.stringify(signedWebhook()) };
    const ran = run('python3', ['-W', 'error', ...args], { cwd, env: { ...environment, ...own, ...more } });
    return ran.then(
      ({ stdout }) => stdout,
      (error: unknown) => {
        throw new Error(String(Reflect.get(Object(error), 'stderr')));
      },
    );
  };
  /** A file that a page shows, its service being this one. */
  const shown = async (page: string, name: string): Promise<string> => {
    const all = await readFile(join(root, 'docs/guide', page), 'utf8');
    const file = all.split(/^```\w*\n/m).find((part) => part.startsWith(`# ${name}\n`)) ?? '';
    return (file.split('```')[0] ?? '').replaceAll('http://localhost:3000', service.url);
  };

  it.each(['test_story', 'test_faults', 'test_mirror', 'test_webhooks'])('%s', (name) =>
    python(['-m', 'unittest', `tests.${name}`], folder),
  );

  it('does what docs/guide/clients.md shows', async () => {
    await writeFile(join(place, 'review.py'), await shown('clients.md', 'review.py'));
    const environment = { KEY: await service.key('demo') };
    expect(await python(['-W', 'ignore::ResourceWarning', 'review.py'], place, environment)).toBe(
      [
        'somebody was quicker',
        "['Must be assigned']",
        'Success',
        'V-200 1200.10',
        'task.created V-200',
        '',
      ].join('\n'),
    );
  });

  // Older setuptools build with the help of wheel.
  const builders =
    'import setuptools\ntry: import setuptools.command.bdist_wheel\nexcept ImportError: import wheel\nimport pip';
  const canInstall = spawnSync('python3', ['-c', builders]).status === 0;
  (canInstall ? it : it.skip)('is installed without a network, and has its types with it', async () => {
    await cp(folder, join(place, 'source'), { recursive: true });
    const target = join(place, 'installed');
    const offline = ['--no-build-isolation', '--no-index', '--no-deps', '--disable-pip-version-check'];
    const install = ['-W', 'ignore', '-m', 'pip', 'install', '--quiet', ...offline, '--target', target];
    await python([...install, join(place, 'source')], place);
    const ask =
      'import wts_client, pathlib; print(pathlib.Path(wts_client.__file__).with_name("py.typed").exists())';
    expect(await python(['-c', ask], place, { PYTHONPATH: target })).toBe('True\n');
  });
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

import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import request from 'supertest';
import { launch, type Launched } from '../../support/launch.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { until } from '../../support/until.js';

const root = resolve(import.meta.dirname, '../../..');

const folder = await temporaryFolder();
await mkdir(join(folder, 'project'));
await mkdir(join(folder, 'tmp'), { mode: 0o755 });
const page = await readFile(join(root, 'docs/guide/testing-against.md'), 'utf8');
const blocks = [...page.matchAll(/^```js\n\/\/ (\S+)\n(.*?)^```$/gms)];
expect(blocks.map(([, name]) => name)).toHaveLength(6);
for (const [, name = '', text = ''] of blocks) await writeFile(join(folder, 'project', name), text);
const definition = join(root, 'docs/examples/onboarding.yaml');
await copyFile(definition, join(folder, 'project/workflows.yaml'));

describe('docs/guide/testing-against.md as written', () => {
  it('runs, and leaves no folder behind', async () => {
    const jest = join(root, 'node_modules/jest/bin/jest.js');
    // Its cache is Jest's own business. DATABASE_URL is what a project may have set for itself.
    const ran = launch([process.execPath, jest, '--cacheDirectory', join(folder, 'cache')], {
      cwd: join(folder, 'project'),
      env: {
        ...{
          PATH: process.env['PATH'],
          HOME: process.env['HOME'],
          TMPDIR: join(folder, 'tmp'),
          WTS_HOME: root,
        },
        ...{ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing', PORT: '1' },
      },
    });
    const [code, out] = [await ran.exit, ran.out() + ran.err()];
    expect([code, out]).toEqual([0, expect.stringMatching(/^Tests: +2 passed, 2 total$/m)]);
    expect(out).not.toContain('did not exit');
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  });
});

it('a throw-away service prints only its line, keeps its mail, and reads files from where it was typed', async () => {
  await copyFile(join(root, 'docs/examples/complaints.yaml'), join(folder, 'desk.yaml'));
  await writeFile(join(folder, 'clock'), 'P3D');
  const settings = { WTS_TEST_MODE: '1', WTS_CLOCK: 'clock', WTS_LOG_LEVEL: 'info', WTS_RATE_LIMT: '1' };
  const env = { PATH: process.env['PATH'], npm_lifecycle_event: 'wts', INIT_CWD: folder, ...settings };
  const run = (port: string): Launched =>
    launch([process.execPath, join(root, 'dist/wts.js'), 'throw-away', 'desk.yaml', '--port', port], { cwd: root, env }); // prettier-ignore
  const { child, exit, out, err } = run('0');
  await until(() => out().endsWith('\n'));
  expect(err()).toMatch(/^WTS_RATE_LIMT is not a setting of this service; did you mean WTS_RATE_LIMIT\?\n\{/);
  const { url = '', key = '', outbox = '' } = JSON.parse(out()) as Record<string, string>;
  const complaints = request.agent(`${url}/api/v1/workflows/complaints`).auth(key, { type: 'bearer' });
  const late = { Subject: 'Late', 'Received On': '2026-11-02', 'Customer E-mail': 'a@acme.test' };
  await complaints.post('/tasks').send({ ...late, Number: '1', Stage: 'Open' });
  await complaints.post('/executions').send({ task_id: '1', action_id: 'wait' });
  await until(async () => (await readdir(outbox).catch(() => [])).length > 0);
  const taken = run(new URL(url).port);
  expect([await taken.exit, taken.err()]).toEqual([1, expect.stringMatching(/another port with --port\.$/m)]);
  child.kill('SIGTERM');
  expect([await exit, out().split('\n').length]).toEqual([0, 2]);
  await expect(readdir(outbox)).rejects.toThrow('ENOENT');
});

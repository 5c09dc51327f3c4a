import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { prepareDemo } from '../../src/cli/demo/prepare-demo.js';
import { killLaunched, launch } from '../support/launch.js';
import { startService } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { within } from '../support/until.js';

const main = resolve(import.meta.dirname, '../../dist/main.js');
const folder = await temporaryFolder();
afterEach(killLaunched);

// A second start, other settings and kills: test/soak/service/start.e2e-spec.ts.
it('`npm start` on a fresh machine starts a PostgreSQL of its own, and prints a curl that works; nothing is logged as an error, and SIGTERM ends it with 0', async () => {
  const data = join(folder, 'data');
  const server = launch([process.execPath, main], {
    cwd: folder,
    env: { PATH: process.env['PATH'], WTS_DATA_DIR: data, PORT: '0', WTS_DRAIN_MS: '0' },
  });
  const curl = /^curl -H "Authorization: Bearer (\w+)" (http\S+)$/m;
  await within(50_000, () => curl.test(server.out()));
  const [, key = '', url = ''] = curl.exec(server.out()) ?? [];
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
  expect([answer.status, ((await answer.json()) as object[]).length]).toEqual([200, 58]);
  expect((await stat(join(data, 'demo-key'))).mode & 0o777).toBe(0o600);
  expect((await fetch(new URL('/docs/openapi.json', url))).status).toBe(200);
  server.child.kill('SIGTERM');
  expect(await server.exit).toBe(0);
  expect(server.out()).not.toMatch(/"level":"(error|warn)"/);
});

it('of two services that start together on a new data folder, one creates the demo, and both print its key', async () => {
  const service = await startService({ WTS_DATA_DIR: folder });
  const starts = [1, 2].map(() => prepareDemo(service.dataSource, service.config));
  const keys = await Promise.all(starts).finally(() => service.stop());
  expect(keys).toEqual([expect.stringMatching(/^wts_\w{40}$/), keys[0]]);
});

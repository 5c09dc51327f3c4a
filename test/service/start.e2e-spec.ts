import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder.js';

const main = resolve(import.meta.dirname, '../../dist/main.js');
const folder = await temporaryFolder();

// A second start, other settings and kills: test/soak/service/start.e2e-spec.ts.
it('`npm start` on a fresh machine starts a PostgreSQL of its own, and prints a curl that works; nothing is logged as an error, and SIGTERM ends it with 0', async () => {
  const data = join(folder, 'data');
  const child = spawn(process.execPath, [main], {
    cwd: folder,
    env: { PATH: process.env['PATH'], WTS_DATA_DIR: data, PORT: '0', WTS_DRAIN_MS: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let out = '';
  const [key = '', url = ''] = await new Promise<string[]>((found, fail) => {
    void ended.then(() => {
      fail(new Error(out));
    });
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      const [, ...printed] = /^curl -H "Authorization: Bearer (\w+)" (http\S+)$/m.exec(out) ?? [];
      if (printed.length > 0) found(printed);
    });
  });
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
  expect([answer.status, ((await answer.json()) as object[]).length]).toEqual([200, 58]);
  expect((await stat(join(data, 'demo-key'))).mode & 0o777).toBe(0o600);
  expect((await fetch(new URL('/docs/openapi.json', url))).status).toBe(200);
  child.kill('SIGTERM');
  expect((await ended)[0]).toBe(0);
  expect(out).not.toMatch(/"level":"(error|warn)"/);
});

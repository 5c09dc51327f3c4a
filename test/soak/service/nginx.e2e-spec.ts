import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describeWith } from '../../support/describe-with.js';
import { freePort } from '../../support/free-port.js';
import { everyType } from '../../support/definitions.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { sendRaw } from '../../support/raw-request.js';
import { startServiceWith } from '../../support/service.js';
import { until } from '../../support/until.js';

/** The nginx of this machine; undefined if there is none. */
const nginx = ['/usr/sbin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'].find((path) =>
  existsSync(path),
);

const tasks = '/api/v1/workflows/things/tasks';
const { service, key } = await startServiceWith(everyType, { WTS_ROLE: 'api' });

describeWith(nginx !== undefined, 'two servers behind nginx, by deploy/nginx.conf', 'nginx', () => {
  let proxy: Awaited<ReturnType<typeof startNginx>>;
  const ports: string[] = [];
  const servers: OtherProcess[] = [];

  beforeAll(async () => {
    ports.push(String(await freePort()), String(await freePort()));
    servers.push(...(await Promise.all(ports.map(start))));
    proxy = await startNginx(ports, KEPT_MS);
  });
  afterAll(async () => {
    await proxy.stop();
    for (const each of servers) await each.kill();
  });

  const start = (port: string): Promise<OtherProcess> => {
    const settings = { PORT: port, WTS_HOST: '127.0.0.1', WTS_DRAIN_MS: String(DRAIN_MS) };
    return startOtherProcess(service.config.databaseUrl ?? '', settings);
  };

  it('fail no request, not even a POST, while they restart one after the other', async () => {
    const answers = new Map<string, number>();
    const over = new AbortController();
    let made = 0;
    const headers = [
      ['Authorization', `Bearer ${key}`],
      ['Content-Type', 'application/json'],
    ] as const;
    const send = async (method: string, path: string, body?: object): Promise<void> => {
      const asked = { method, path, headers, ...(body && { body: JSON.stringify(body) }) };
      const outcome = await sendRaw(proxy.url, asked).then(({ status }) => String(status), String);
      answers.set(`${method} ${outcome}`, (answers.get(`${method} ${outcome}`) ?? 0) + 1);
    };
    const client = async (thinkMs: number): Promise<void> => {
      while (!over.signal.aborted) {
        const ID = String((made += 1));
        await send('POST', tasks, { ID });
        await pause(Math.random() * thinkMs);
        await send('PUT', tasks, { ID, Text: 'changed' });
        await send('GET', `${tasks}/${ID}`);
        await pause(Math.random() * thinkMs);
      }
    };
    // Of different pace, so that nginx now needs more connections and now lets some go.
    const clients = [0, 0, 5, 5, 20, 20, 100, 100, 500, 1500].map(client);
    await until(() => made > 200);
    for (const [index, port] of [...ports, ...ports].entries()) {
      const at = index % ports.length;
      expect(await servers[at]?.stop()).toBe(0);
      servers[at] = await start(port);
    }
    const before = made;
    await until(() => made > before + 100);
    over.abort();
    await Promise.all(clients);
    expect([...answers.keys()].sort()).toEqual(['GET 200', 'POST 201', 'PUT 200']);
    expect(made).toBeGreaterThan(500);
  });
});

const DRAIN_MS = 2500;
/** As in deploy/nginx.conf less than the service drains. */
const KEPT_MS = 1000;

/**
 * Starts nginx with deploy/nginx.conf in front of two servers whose idle connections are closed after so many
 * milliseconds. Differs from that file only by having no TLS and its own ports.
 */
async function startNginx(ports: readonly string[], keptMs: number) {
  const folder = await mkdtemp(join(tmpdir(), 'wts-nginx-'));
  const port = await freePort();
  const example = await readFile(resolve(import.meta.dirname, '../../../deploy/nginx.conf'), 'utf8');
  const settings = example
    .replace(/^ *(ssl_|listen \[::\]|listen 80).*\n/gm, '')
    .replace(/server \{\s+server_name [\w.]+;\s+return 308 .*\n\}\n/, '')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace('127.0.0.1:3000', `127.0.0.1:${ports[0]}`)
    .replace('127.0.0.1:3001', `127.0.0.1:${ports[1]}`)
    .replace('keepalive_timeout 4s;', `keepalive_timeout ${keptMs}ms;`);
  const log = join(folder, 'error.log');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log ${log} error;
    events { worker_connections 1024; }
    http { access_log off; ${temporary.map((each) => `${each}_temp_path ${join(folder, each)};`).join(' ')}
    ${settings} }`,
  );
  const server = spawn(nginx ?? '', ['-c', file, '-p', folder, '-e', log], { stdio: 'inherit' });
  const ended = once(server, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await until(() => fetch(url).then(() => true, () => false)); // prettier-ignore
  return {
    url,
    async stop() {
      server.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

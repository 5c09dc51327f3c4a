import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from './free-port.js';
import { until } from './until.js';

/** The nginx of this machine; undefined if there is none. */
export const nginx = ['/usr/sbin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'].find((path) =>
  existsSync(path),
);

export interface Nginx {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts nginx with deploy/nginx.conf in front of two servers whose idle connections are closed after so many
 * milliseconds. Differs from that file only by having no TLS and its own ports.
 */
export async function startNginx(ports: readonly [string, string], keptMs: number): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'wts-nginx-'));
  const port = await freePort();
  const example = await readFile(resolve(import.meta.dirname, '../../deploy/nginx.conf'), 'utf8');
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

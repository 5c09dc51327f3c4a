import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The PgBouncer of this machine; undefined where there is none. */
export const executable = [
  '/usr/sbin/pgbouncer',
  '/usr/local/bin/pgbouncer',
  '/opt/homebrew/bin/pgbouncer',
].find((path) => existsSync(path));

/** Starts a PgBouncer in session mode before a server of PostgreSQL, with so many connections for a database. */
export async function startPgBouncer(serverUrl, poolSize = 60) {
  const folder = await mkdtemp(join(tmpdir(), 'wts-pgbouncer-'));
  const port = await freePort();
  const settings = join(folder, 'pgbouncer.ini');
  await writeFile(settings, settingsOf(new URL(serverUrl), port, poolSize), { mode: 0o600 });
  // PgBouncer refuses to run as root.
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (account.uid !== undefined)
    for (const path of [folder, settings]) await chown(path, account.uid, account.gid);
  const server = spawn(executable, [settings], { ...account, stdio: 'ignore' });
  const ended = once(server, 'exit');
  await answers(port, server);
  return {
    port,
    async stop() {
      server.kill('SIGINT');
      const late = setTimeout(() => server.kill('SIGKILL'), 2000);
      await ended;
      clearTimeout(late);
      await rm(folder, { recursive: true });
    },
  };
}

/** Accepts any password for the server's user: the only clients are tests on this machine. */
const settingsOf = ({ hostname, port, username, password }, ownPort, poolSize) => `
[databases]
* = host=${hostname} port=${port} user=${username}${password && ` password=${decodeURIComponent(password)}`}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = session
default_pool_size = ${poolSize}
max_client_conn = 2000
`;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

async function answers(port, server) {
  for (const deadline = Date.now() + 180_000; Date.now() < deadline && server.exitCode === null;) {
    const socket = connect(port, '127.0.0.1');
    const isUp = await new Promise((done) =>
      socket.once('connect', () => done(true)).once('error', () => done(false)),
    );
    socket.destroy();
    if (isUp) return;
    await pause(20);
  }
  throw new Error('PgBouncer does not answer');
}

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { type Question } from './inside.js';
import { type AtEnd } from './lifetime.js';

export interface Target {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  ask(question: Question): Promise<number>;
  stop(): Promise<void>;
}

export interface TargetOptions {
  readonly name: string;
  /** The path of the target's program, below `dist`. */
  readonly program: string;
  /** The checkout that contains the program. Default: this checkout. */
  readonly folder?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a target and waits until it listens on its `PORT`. */
export async function startTarget(options: TargetOptions, atEnd: AtEnd): Promise<Target> {
  const port = await freePort();
  const dist = options.folder === undefined ? join(import.meta.dirname, '..') : join(options.folder, 'dist');
  const program = join(dist, options.program);
  // The target's output is discarded, as for a service whose log is not kept; its errors are shown.
  const child = fork(program, [...(options.args ?? [])], {
    execArgv: ['--import', new URL('inside.js', import.meta.url).href],
    env: { WTS_DRAIN_MS: '0', ...options.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), 5000);
    await ended;
    clearTimeout(late);
  };
  atEnd(stop);
  await untilListening(child, port, options.name);
  const { name } = options;
  return { name, port, pid: child.pid ?? 0, ask: (question) => ask(child, question), stop };
}

async function ask(child: ChildProcess, question: Question): Promise<number> {
  const answered = once(child, 'message');
  child.send(question);
  const [message] = (await answered) as [{ answer: number }];
  return message.answer;
}

/** On a busy machine, a start takes long. */
const START_TIMEOUT_MS = 120_000;

async function untilListening(child: ChildProcess, port: number, name: string): Promise<void> {
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline;) {
    if (child.exitCode !== null) throw new Error(`${name} did not start`);
    const socket = connect(port, '127.0.0.1');
    const isUp = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${name} does not listen`);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { patience } from './until.js';
import { optionsIn, testOptions } from './test-options.js';

/** The service in its own process, on a database with other users. */
export interface OtherProcess {
  readonly url: string;
  readonly pid: number;
  /** Its output so far. */
  readonly output: () => string;
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>;
  /** Asks it to end; returns its exit code. */
  stop(): Promise<number | null>;
  /** Ends it abruptly, like a power cut. */
  kill(): Promise<number | null>;
}

/** Starts the built service of this project, as built by the set-up of the run, or of a copy. */
export async function startOtherProcess(
  databaseUrl: string,
  environment: Readonly<Record<string, string>> = {},
  project = resolve(import.meta.dirname, '../..'),
): Promise<OtherProcess> {
  const child = spawn(process.execPath, [resolve(project, 'dist/main.js')], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      PORT: '0',
      WTS_DRAIN_MS: '0',
      ...environment,
      // What a test asks may take long on a slow machine.
      ...testOptions({ requestMs: patience, statementMs: patience, ...optionsIn(environment) }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const closed = once(child, 'close');
  let out = '';
  const url = await new Promise<string>((found, fail) => {
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      const [url] = /http:\/\/[\w.[\]:]+:\d+/.exec(out) ?? [];
      if (url) found(url);
    });
    child.once('exit', () => {
      fail(new Error(`ended: ${out}`));
    });
  });
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> => {
    child.kill(signal);
    const [code] = (await ended) as [number | null];
    return code;
  };
  const stop = async (): Promise<number | null> => {
    const code = await end('SIGTERM');
    // Its last lines may arrive after its end.
    await closed;
    return code;
  };
  const output = (): string => out;
  return { url, pid: child.pid ?? 0, output, ended, stop, kill: () => end('SIGKILL') };
}

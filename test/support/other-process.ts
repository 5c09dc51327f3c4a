import { resolve } from 'node:path';
import { launch } from './launch.js';
import { patience, until } from './until.js';
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
  const { child, out, err, exit } = launch([process.execPath, resolve(project, 'dist/main.js')], {
    cwd: project,
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      PORT: '0',
      WTS_DRAIN_MS: '0',
      ...environment,
      // What a test asks may take long on a slow machine.
      ...testOptions({ requestMs: patience, statementMs: patience, ...optionsIn(environment) }),
    },
  });
  const address = (): string | undefined => /http:\/\/[\w.[\]:]+:\d+/.exec(out())?.[0];
  await Promise.race([exit, until('an address', () => address() !== undefined)]);
  const url = address();
  if (url === undefined) throw new Error(`ended: ${out()}${err()}`);
  const end = (signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> => {
    child.kill(signal);
    return exit;
  };
  return {
    ...{ url, pid: child.pid ?? 0, output: out, ended: exit },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

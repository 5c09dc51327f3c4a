import { type ChildProcess, spawn } from 'node:child_process';

/** A program that runs, and what it has written. */
export interface Launched {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  /** Its exit code, once nobody holds its outputs any more. */
  readonly exit: Promise<number | null>;
}

/** Starts a program with no other settings than these; what still runs after a test is killed. */
export function launch(
  [program, ...args]: readonly [string, ...string[]],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Launched {
  const child = spawn(program, args, options);
  running.add(child);
  const text = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (text.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text.err += chunk.toString()));
  const exit = new Promise<number | null>((done) => {
    child.once('close', (code) => {
      running.delete(child);
      done(code);
    });
  });
  return { child, out: () => text.out, err: () => text.err, exit };
}

const running = new Set<ChildProcess>();

/** Ends abruptly all programs that still run. */
export function killLaunched(): void {
  for (const child of running) child.kill('SIGKILL');
}

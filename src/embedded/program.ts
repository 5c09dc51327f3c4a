import { spawn, type SpawnOptions } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { Account } from './account.js';

/** Where a program of PostgreSQL stands when it works on a data folder, and how it is told the folder. */
export interface Place {
  options: SpawnOptions & { cwd: string };
  data: string;
}

/**
 * The place of a program on a data folder. Another account may lack the right to walk there from `/`, but we enter
 * the folder before we change the account, and `/proc/self/cwd` leads a process to where it stands without a walk.
 */
export function placeOf(data: string, account: Account): Place {
  // A few variables of our own: what the shell has set must not change a cluster, nor our secrets outlive us in it.
  const options = { cwd: data, env: { LC_ALL: 'C', TZ: 'UTC' } };
  return account ? { options: { ...options, ...account }, data: '/proc/self/cwd' } : { options, data };
}

/** Runs a program to its end, feeding it `input`; throws what it wrote to stderr when it fails. */
export async function run(file: string, args: string[], options: SpawnOptions, input = ''): Promise<void> {
  const child = spawn(file, args, { ...options, stdio: 'pipe' });
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve(signal ?? String(code));
    });
  });
  // A program that ends before it has read everything says why by its exit.
  child.stdin.on('error', () => undefined).end(input);
  child.stdout.resume();
  const [end, complaints] = await Promise.all([ended, text(child.stderr)]);
  if (end !== '0') throw new Error(`${file} failed (${end}): ${complaints.trim()}`);
}

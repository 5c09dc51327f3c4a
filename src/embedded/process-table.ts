import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The command line of a living process, its words separated by spaces; empty when there is none. */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform !== 'linux') return ps(pid, 'command=');
  return (await read(`/proc/${pid}/cmdline`)).replaceAll('\0', ' ');
}

/** When a living process began, as digits that no later process with the same id shares; empty when there is none. */
export async function birthOf(pid: number): Promise<string> {
  if (process.platform !== 'linux') return String(Date.parse(`${await ps(pid, 'lstart=')} UTC`) || '');
  return parseBirth(await read(`/proc/${pid}/stat`));
}

/** The start time out of a line of /proc/<pid>/stat; empty for a zombie. */
export function parseBirth(stat: string): string {
  // The name in brackets may hold spaces and brackets of its own.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return /^[ZXx]$/.test(fields[0] ?? '') ? '' : (fields[19] ?? '');
}

async function read(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

async function ps(pid: number, column: string): Promise<string> {
  const asked = promisify(execFile)('/bin/ps', ['-ww', '-o', column, '-p', String(pid)], {
    env: { LC_ALL: 'C', TZ: 'UTC' },
  });
  return asked.then(({ stdout }) => stdout.trim()).catch(() => '');
}

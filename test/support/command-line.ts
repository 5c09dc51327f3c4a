import { jest } from '@jest/globals';
import { Command } from 'commander';

/** How a command ended, and what it wrote. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What a command wrote to standard error beside the name of its database, which each one tells. */
export function complaintsOf(err: string): string {
  return err.replace(/^database: .*\n/, '');
}

/** Runs a command of `wts` on a database as a process would where nobody can be asked; one at a time. */
export async function wts(command: Command, args: readonly string[], databaseUrl: string): Promise<Ended> {
  const text = { out: '', err: '' };
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => Boolean((text.out += String(chunk)))),
    jest.spyOn(process.stderr, 'write').mockImplementation((chunk) => Boolean((text.err += String(chunk)))),
  ];
  process.env['DATABASE_URL'] = databaseUrl;
  try {
    await new Command('wts').addCommand(command).parseAsync([command.name(), ...args], { from: 'user' });
    return { code: 0, out: text.out, err: complaintsOf(text.err) };
  } catch (error) {
    const said = `${text.err}${error instanceof Error ? error.message : String(error)}\n`;
    return { code: 1, out: text.out, err: complaintsOf(said) };
  } finally {
    delete process.env['DATABASE_URL'];
    for (const spy of spies) spy.mockRestore();
  }
}

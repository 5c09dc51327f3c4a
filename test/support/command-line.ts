import { jest } from '@jest/globals';
import { Command, CommanderError } from 'commander';

/** The exit code and the output of a command. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What a command wrote to standard error, without the name of its database, which every command prints. */
export function complaintsOf(err: string): string {
  return err.replace(/^database: .*\n/, '');
}

/** Runs a command of `wts` on a database, in a folder, as a process without a terminal; one at a time. */
export async function wts(
  command: Command,
  args: readonly string[],
  databaseUrl: string,
  folder = process.cwd(),
): Promise<Ended> {
  const text = { out: '', err: '' };
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => Boolean((text.out += String(chunk)))),
    jest.spyOn(process.stderr, 'write').mockImplementation((chunk) => Boolean((text.err += String(chunk)))),
  ];
  const terminals = [process.stdout, process.stderr].filter(({ isTTY }) => isTTY);
  for (const terminal of terminals) terminal.isTTY = false;
  const from = process.cwd();
  process.chdir(folder);
  process.env['DATABASE_URL'] = databaseUrl;
  try {
    const program = new Command('wts').addCommand(command);
    throwInstead(command);
    await program.parseAsync([command.name(), ...args], { from: 'user' });
    return { code: Number(process.exitCode ?? 0), out: text.out, err: complaintsOf(text.err) };
  } catch (error) {
    if (error instanceof CommanderError)
      return { code: error.exitCode, out: text.out, err: complaintsOf(text.err) };
    const said = `${text.err}${error instanceof Error ? error.message : String(error)}\n`;
    return { code: 1, out: text.out, err: complaintsOf(said) };
  } finally {
    process.exitCode = undefined;
    delete process.env['DATABASE_URL'];
    process.chdir(from);
    for (const terminal of terminals) terminal.isTTY = true;
    for (const spy of spies) spy.mockRestore();
  }
}

/** Lets a command and those below it throw where they would end the process. */
function throwInstead(command: Command): void {
  command.exitOverride().commands.forEach(throwInstead);
}

export function commandNamed(name: string, commands: readonly Command[]): Command {
  const found = commands.find((command) => command.name() === name);
  if (!found) throw new Error(`There is no command ${name}.`);
  return found;
}

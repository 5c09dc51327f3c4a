import { parseArgs } from 'node:util';

export interface Options {
  readonly rounds: number;
  /** Of one turn of one target. */
  readonly seconds: number;
  readonly tasks: number;
  readonly connections: number;
  /** Words that the names of the wanted cases contain; all cases where there is none. */
  readonly cases: readonly string[];
  /** Nothing was asked for in particular: the run whose report is kept. */
  readonly isStandard: boolean;
  /** The folder of a build to take turns with. */
  readonly other: string | undefined;
}

/** What the command line asks for; `tasks` is the usual number of them. */
export function readOptions(tasks: number): Options {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '9' },
      seconds: { type: 'string', default: '2' },
      tasks: { type: 'string', default: String(tasks) },
      connections: { type: 'string', default: '32' },
      case: { type: 'string', multiple: true, default: [] },
      other: { type: 'string' },
    },
  });
  return {
    rounds: positive('rounds', values.rounds),
    seconds: positive('seconds', values.seconds),
    tasks: positive('tasks', values.tasks),
    connections: positive('connections', values.connections),
    cases: values.case,
    isStandard: process.argv.length === 2,
    other: values.other,
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (value > 0) return value;
  throw new Error(`--${name} must be a number above 0`);
}

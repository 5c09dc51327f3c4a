import { parseArgs } from 'node:util';

export interface Options {
  readonly rounds: number;
  /** The length of one turn of one target. */
  readonly seconds: number;
  readonly tasks: number;
  readonly connections: number;
  /** Parts of the names of the wanted cases. If the list is empty, all cases are wanted. */
  readonly cases: readonly string[];
  /** Whether the run has no options. Only the report of such a run is kept. */
  readonly isStandard: boolean;
  /** The folder of another build to compare with. */
  readonly other: string | undefined;
  /** The number of tasks of the other build, and a file with its definition, if they differ from this build's. */
  readonly otherTasks: number;
  readonly otherDefinition: string | undefined;
}

/** Reads the command line; `tasks` is the default number of tasks. */
export function readOptions(tasks: number): Options {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '9' },
      seconds: { type: 'string', default: '2' },
      tasks: { type: 'string', default: String(tasks) },
      connections: { type: 'string', default: '32' },
      case: { type: 'string', multiple: true, default: [] },
      other: { type: 'string' },
      'other-tasks': { type: 'string' },
      'other-definition': { type: 'string' },
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
    otherTasks: positive('other-tasks', values['other-tasks'] ?? values.tasks),
    otherDefinition: values['other-definition'],
  };
}

export function isWanted(name: string, { cases }: Options): boolean {
  return cases.length === 0 || cases.some((word) => name.includes(word));
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (value > 0) return value;
  throw new Error(`--${name} must be a number above 0`);
}

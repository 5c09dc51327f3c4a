import { Command } from 'commander';
import { readConfig } from '../config.js';
import { KindsService } from '../automation/shown/kinds.service.js';
import { Doorbell } from '../common/ops/doorbell.js';
import { type Scope } from '../workflows/model/scope.js';
import { type Identified, type ShownKind } from '../workflows/model/shown-kind.js';
import { openWorkflow, type WorkflowOptions, withDatabase } from './with-database.js';
import { print, printTable, tell } from './terminal.js';

export function kindCommands(kinds: readonly ShownKind[]): Command[] {
  return kinds.map(commandOf);
}

function commandOf(kind: ShownKind): Command {
  const { name, list } = kind;
  const verbs = Object.keys(kind.operations);
  const command = new Command(name).description(
    `list and show the ${list} of a workflow; ${verbs.join(', ')} one`,
  );
  command.addCommand(
    below('list', `show the ${list} of a workflow`).action(async (place: WorkflowOptions) => {
      printList(kind, await within(place, (kinds, scope) => kinds.list(scope, kind)));
    }),
  );
  command.addCommand(
    ofOne(kind, 'show', `show a ${name} as JSON`).action(async (id: string, place: WorkflowOptions) => {
      printOne(await within(place, (kinds, scope) => kinds.read(scope, kind, id)));
    }),
  );
  for (const [verb, { title, later }] of Object.entries(kind.operations))
    command.addCommand(
      ofOne(kind, verb, title.charAt(0).toLowerCase() + title.slice(1)).action(
        async (id: string, place: WorkflowOptions) => {
          const asked = { verb, id, key: undefined };
          const shown = await within(place, (kinds, scope) => kinds.operate(scope, kind, asked));
          if (shown) printOne(shown);
          else print(later ?? '');
        },
      ),
    );
  return command;
}

const below = (verb: string, description: string): Command =>
  new Command(verb)
    .description(description)
    .requiredOption('--workspace <id>', 'the workspace')
    .requiredOption('--workflow <id>', 'the workflow');

const ofOne = ({ name }: ShownKind, verb: string, description: string): Command =>
  below(verb, description).argument('<id>', `the id of the ${name}`);

async function within<T>(
  place: WorkflowOptions,
  work: (kinds: KindsService, scope: Scope) => Promise<T>,
): Promise<T> {
  return withDatabase(async (db) => {
    const { work: unitOfWork, workspaces, scope } = await openWorkflow(db, place, '');
    // Nothing listens to this doorbell, because the running service finds due work itself.
    return work(new KindsService(unitOfWork, workspaces, new Doorbell(), readConfig()), scope);
  });
}

/** Prints a table with the columns that contain no objects. */
function printList({ list }: ShownKind, all: readonly Identified[]): void {
  const [first] = all;
  if (!first) {
    tell(`The workflow has no ${list}.`);
    return;
  }
  const columns = Object.keys(first).filter((key) =>
    all.every((one) => !(valueOf(one, key) instanceof Object)),
  );
  printTable(
    columns.map((key) => key.toUpperCase().replaceAll('_', ' ')),
    all.map((one) => columns.map((key) => textOf(valueOf(one, key)))),
  );
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value == null ? '-' : JSON.stringify(value);

const valueOf = (one: object, key: string): unknown => Reflect.get(one, key);

function printOne(one: Identified): void {
  print(JSON.stringify(one, null, 2));
}

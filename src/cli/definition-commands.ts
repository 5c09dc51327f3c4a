import { Command } from 'commander';
import { applyDefinition } from '../definitions/apply-definition.js';
import { checkDefinition } from '../definitions/check-definition.js';
import { type OnProgress, type Plan } from '../definitions/data/draft.js';
import { DefinitionRefused } from '../definitions/definition-refused.js';
import { planDefinition } from '../definitions/plan-definition.js';
import { author } from './author.js';
import { historyCommand } from './history-command.js';
import { paintFor } from './paint.js';
import { print, say } from './print.js';
import { printingErrors } from './print-errors.js';
import { outOf, type ProgressBar, progressBar } from './progress-bar.js';
import { readSource } from './read-source.js';
import { planJson, refusal, renderPlan } from './render-plan.js';
import { withDatabase } from './with-database.js';

/** `wts validate`, `wts plan`, `wts apply` and `wts history` */
export function definitionCommands(): Command[] {
  return [
    new Command('validate')
      .description('check a definition file on its own, without a database')
      .argument('<file>', 'a YAML or JSON file')
      .action(validate),
    changing('plan')
      .description('show what apply would do, and to how many tasks; writes nothing')
      .addHelpText(
        'after',
        '\nEnds with 0 without changes, 2 with changes, 1 on errors and when apply would refuse.',
      )
      .action(plan),
    changing('apply')
      .description('make a workspace what the file says, in one transaction; what it does not name stays')
      .action(apply),
    historyCommand(),
  ];
}

function changing(name: string): Command {
  return new Command(name)
    .argument('<file>', 'a YAML or JSON file')
    .option('--prune', 'remove what the file does not name; users are deactivated')
    .option('--allow-data-loss', 'lose what the new definition has no place for')
    .option('--json', 'print for machines');
}

interface Options {
  readonly prune?: boolean;
  readonly allowDataLoss?: boolean;
  readonly json?: boolean;
}

async function validate(file: string): Promise<void> {
  const { source } = await readSource(file);
  checkDefinition(source.definition, source);
  print(`${file} is valid`);
}

async function plan(
  file: string,
  { prune = false, allowDataLoss = false, json = false }: Options,
): Promise<void> {
  await printingErrors(json, async () => {
    const { source } = await readSource(file);
    const bar = progressBar();
    const made = await withDatabase((db) =>
      planDefinition(db.dataSource, source, { isPruning: prune, onProgress: movesOn(bar) }),
    ).finally(bar.clear);
    if (json) print(JSON.stringify(planJson(made, allowDataLoss)));
    else show(made);
    const refused = refusal(made, allowDataLoss);
    if (refused !== undefined) fail(refused);
    else if (made.changes.length > 0) process.exitCode = 2;
  });
}

async function apply(
  file: string,
  { prune = false, allowDataLoss = false, json = false }: Options,
): Promise<void> {
  await printingErrors(json, async () => {
    const { source } = await readSource(file);
    const bar = progressBar();
    const shown: Plan[] = [];
    const onPlan = (made: Plan): void => {
      bar.clear();
      // A transaction that is begun anew shows its plan once.
      if (shown.push(made) === 1 && !json) show(made);
    };
    const work = withDatabase((db) =>
      applyDefinition(db.dataSource, source, {
        isPruning: prune,
        allowsDataLoss: allowDataLoss,
        author: author(),
        onPlan,
        onProgress: movesOn(bar),
      }),
    ).finally(bar.clear);
    const isApplied = await work.then(() => true, refusedOrThrow);
    const made = shown.at(-1);
    if (!made) throw new Error('an apply had no plan');
    if (json) print(JSON.stringify({ ...planJson(made, allowDataLoss), applied: isApplied }));
    else if (isApplied && made.changes.length > 0) print(`applied to workspace ${made.workspace}`);
    const refused = refusal(made, allowDataLoss);
    if (refused !== undefined) fail(refused);
  });
}

function movesOn(bar: ProgressBar): OnProgress {
  return ({ task, done, total }) => {
    bar.show(total === 0 ? 1 : done / total, `${task}, ${outOf(done, total, 'tasks')}`);
  };
}

function refusedOrThrow(error: unknown): boolean {
  if (!(error instanceof DefinitionRefused)) throw error;
  return false;
}

function show(made: Plan): void {
  if (made.changes.length === 0) print(`no changes: workspace ${made.workspace} is up to date`);
  else for (const line of renderPlan(made, paintFor(process.stdout))) print(line);
}

function fail(message: string): void {
  say(paintFor(process.stderr)('red', message));
  process.exitCode = 1;
}

import { Command } from 'commander';
import { type EntityManager } from 'typeorm';
import { plural } from '../definitions/impact/effect.js';
import { WorkflowEntity } from '../entities/workflow.entity.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { meantInBrackets } from '../lib/did-you-mean.js';
import { pauseRules } from '../rules/pause-rules.js';
import { ruleStatesOf } from '../rules/rule-states.repository.js';
import { rulesOf } from '../workspace/workspace-rows.js';
import { print, printTable, styled } from './terminal.js';
import { withDatabase, withWorkspace, workspaceNamed } from './with-database.js';

/** `wts rules …` */
export function ruleCommands(): Command {
  const rules = new Command('rules').description('rules, which start actions when an event happens');
  rules
    .command('list')
    .description('show every rule and its state')
    .requiredOption('--workspace <id>', 'the workspace')
    .option('--workflow <id>', 'only rules of this workflow')
    .action(list);
  changing(
    rules.command('pause'),
    'pause rules; runs in the meantime are silenced, and are not started later',
  );
  changing(rules.command('resume'), 'resume rules');
  return rules;
}

function changing(command: Command, description: string): void {
  const isPaused = command.name() === 'pause';
  command
    .description(description)
    .argument('[rule]', 'its id')
    .option('--all', 'all rules: of the workflow, of the workspace, or of all workspaces')
    .option('--workspace <id>', 'the workspace')
    .option('--workflow <id>', 'the workflow')
    .action((rule: string | undefined, place: Place) => change(isPaused, rule, place));
}

interface Place {
  readonly all?: true;
  readonly workspace?: string;
  readonly workflow?: string;
}

async function change(isPaused: boolean, rule: string | undefined, place: Place): Promise<void> {
  const { all, workspace, workflow } = place;
  if ((rule === undefined) !== (all === true)) throw new Error('Name a rule, or use --all.');
  if (workspace === undefined && (rule ?? workflow) !== undefined)
    throw new Error('Name the workspace with --workspace.');
  const changed = await withDatabase(async (db) => {
    const slugs = workspace === undefined ? await allWorkspaces(db) : [workspace];
    let sum = 0;
    for (const slug of slugs)
      sum += await db.transaction((tx) => changeIn(tx, slug, isPaused, rule, workflow));
    return sum;
  });
  const state = isPaused ? 'paused' : 'active';
  if (rule === undefined) print(`${plural(changed, 'rule')} now ${state}`);
  else print(`${rule} is ${state}`);
}

async function allWorkspaces(db: EntityManager): Promise<string[]> {
  const found = await db.find(WorkspaceEntity, { select: { slug: true }, order: { slug: 'ASC' } });
  return found.map(({ slug }) => slug);
}

async function changeIn(
  tx: EntityManager,
  slug: string,
  isPaused: boolean,
  ruleId: string | undefined,
  workflow: string | undefined,
): Promise<number> {
  const { id: workspaceId } = await workspaceNamed(tx, slug);
  const workflows = await workflowsIn(tx, slug, workspaceId, workflow);
  const having = workflows.filter((each) => rulesOf(each).some(({ id }) => id === ruleId));
  if (ruleId !== undefined && having.length !== 1) throw notOne(slug, ruleId, workflows, having);
  const [only] = ruleId !== undefined ? having : workflow !== undefined ? workflows : [];
  return (await pauseRules(tx, { workspaceId, workflowId: only?.id, ruleId }, isPaused)).length;
}

/** All workflows of a workspace, or only the given one. */
async function workflowsIn(
  db: EntityManager,
  workspace: string,
  workspaceId: number,
  workflow: string | undefined,
): Promise<WorkflowEntity[]> {
  const all = await db.find(WorkflowEntity, { where: { workspaceId }, order: { id: 'ASC' } });
  const found = workflow === undefined ? all : all.filter(({ slug }) => slug === workflow);
  if (found.length > 0 || workflow === undefined) return found;
  const known = all.map(({ slug }) => slug).join(', ');
  throw new Error(`There is no workflow "${workflow}" in ${workspace}. It has: ${known}`);
}

function notOne(
  workspace: string,
  rule: string,
  workflows: readonly WorkflowEntity[],
  having: readonly WorkflowEntity[],
): Error {
  const names = having.map(({ slug }) => slug);
  if (names.length > 1)
    return new Error(`Rules of ${names.join(' and ')} are called "${rule}": choose with --workflow.`);
  const hint = meantInBrackets(
    rule,
    workflows.flatMap((each) => rulesOf(each).map(({ id }) => id)),
  );
  return new Error(
    `There is no rule "${rule}" in ${workspace}${hint}. See: wts rules list --workspace ${workspace}`,
  );
}

async function list({ workspace, workflow }: Place & { readonly workspace: string }): Promise<void> {
  const rows = await withWorkspace(workspace, async (tx, workspaceId) => {
    const shown: string[][] = [];
    for (const each of await workflowsIn(tx, workspace, workspaceId, workflow)) {
      const states = await ruleStatesOf(tx, each);
      for (const { id, on, run } of rulesOf(each)) {
        const state = states.get(id)?.isPaused === true ? styled('dim', 'paused') : 'active';
        shown.push([each.slug, id, on, run, state]);
      }
    }
    return shown;
  });
  printTable(['WORKFLOW', 'ID', 'ON', 'RUN', 'STATE'], rows);
}

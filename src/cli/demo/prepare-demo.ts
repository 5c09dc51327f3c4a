import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DataSource, type EntityManager } from 'typeorm';
import { createApiKey, KnownKeys } from '../../access/api-keys.js';
import { ApiKeyEntity } from '../../access/api-key.entity.js';
import { createSignInLink } from '../../access/sessions.js';
import { type Config } from '../../config.js';
import { mailUrlOf } from '../../common/outbox.js';
import { applyWithin } from '../../workflows/definition/apply-definition.js';
import { mergeDefinitions } from '../../workflows/definition/merge/merge-definitions.js';
import { readDefinition, type SourceDefinition } from '../../workflows/definition/source/read-definition.js';
import { loadWorkspaceRows } from '../../workflows/model/workspace-rows.js';
import { UserEntity } from '../../workflows/model/entities/user.entity.js';
import { WorkspaceEntity } from '../../workflows/model/entities/workspace.entity.js';
import { projectFolder } from '../../common/version.js';
import { taskUrlOf } from '../../common/public-address.js';
import { compileWorkspace } from '../../workflows/model/compile-workspace.js';
import { pauses } from '../../../packages/fair/turn.js';
import { Origin } from '../../common/origin.js';
import { unchangedFiles } from '../../workflows/fields/task-change.js';
import { parseTask } from '../../workflows/fields/parse-task.js';
import { recordOf, upsertRows } from '../../tasks/store/bulk-upsert.js';
import { Scope } from '../../workflows/model/scope.js';
import { type Workspace } from '../../workflows/model/workspace.js';
import { type DemoTask, demoTasks, invoicesOf, pastVendors } from './demo-tasks.js';

/** Creates the demo and returns its API key. On a later start, returns the stored key if it is valid. */
export async function prepareDemo(dataSource: DataSource, config: Config): Promise<string | undefined> {
  const keyFile = join(config.dataDir, 'demo-key');
  const made = await dataSource.transaction(async (db) => {
    // Two services that start together on one data folder must not both create the demo.
    await db.query(`SELECT pg_advisory_xact_lock(hashtext('demo'))`);
    if (await db.exists(WorkspaceEntity)) return undefined;
    const key = await createDemo(db, config);
    // Writes the key before the commit, because a demo without a stored key cannot be used.
    if (!config.ephemeral) await writeFile(keyFile, key, { mode: 0o600 });
    return key;
  });
  return made ?? keptKey(dataSource, keyFile);
}

/** Creates a sign-in link for the demo's administrator, if this user is active. Returns the link's token. */
export async function demoLink({ manager }: DataSource): Promise<string | undefined> {
  const workspace = await manager.findOneBy(WorkspaceEntity, { slug: 'demo' });
  const where = { workspaceId: workspace?.id ?? 0, emailKey: 'mina@demo.test', active: true };
  const user = await manager.findOneBy(UserEntity, where);
  return user ? createSignInLink(manager, user) : undefined;
}

async function keptKey(dataSource: DataSource, keyFile: string): Promise<string | undefined> {
  const key = (await readFile(keyFile, 'utf8').catch(() => '')).trim();
  return (await new KnownKeys(dataSource.getRepository(ApiKeyEntity)).find(key)) && key;
}

async function createDemo(db: EntityManager, config: Config): Promise<string> {
  await applyWithin(db, await demoDefinition(config), { author: 'the demo' });
  const { id: workspaceId } = await db.findOneByOrFail(WorkspaceEntity, { slug: 'demo' });
  const rows = await loadWorkspaceRows(db, workspaceId);
  const demo = rows && (await compileWorkspace(rows, taskUrlOf(config)));
  if (!demo) throw new Error('the demo was not made');
  await writeDemo(db, demo);
  // Without statistics, PostgreSQL reads all tasks of the workflow to find each task of a batch.
  await db.query('ANALYZE tasks, events');
  return createApiKey(db, { workspaceId, name: 'demo', scope: 'write', expiresAt: null });
}

/** Reads the example definition. If mail can be sent, adds reminders by mail. */
async function demoDefinition(config: Config): Promise<SourceDefinition> {
  const source = await readExample('onboarding.yaml');
  if (mailUrlOf(config) === undefined) return source;
  const { definition } = await readExample('reminders-by-mail.yaml');
  const stored = mergeDefinitions(undefined, source.definition, {});
  return { ...source, definition: mergeDefinitions(stored, definition, {}) };
}

async function readExample(name: string): Promise<SourceDefinition> {
  const file = join(projectFolder(), 'docs/examples', name);
  return readDefinition(await readFile(file, 'utf8'), file);
}

/** Writes the demo with few statements, because the first start waits for them. */
async function writeDemo(db: EntityManager, demo: Workspace): Promise<void> {
  for (const [slug, tasks] of Object.entries(demoTasks))
    // One user creates each task and another moves it, so that the history shows both.
    await writeTasks(db, tasks, scopeOf(demo, slug, 'mina@demo.test'), scopeOf(demo, slug, 'theo@demo.test'));
  await link(db, demo);
  // The scope is silent, so that tasks of the past notify nobody.
  const past = scopeOf(demo, 'vendors', 'theo@demo.test').silenced();
  await writeTasks(db, pastVendors, past, past);
  await backdate(db, demo, [...demoTasks.vendors, ...demoTasks.invoices, ...pastVendors]);
}

/** Creates tasks, and then moves them through their stages. */
async function writeTasks(
  db: EntityManager,
  tasks: readonly DemoTask[],
  creator: Scope,
  mover: Scope,
): Promise<void> {
  await write(db, creator, tasks.map(({ values }) => values)); // prettier-ignore
  const most = Math.max(...tasks.map(({ stages }) => stages.length));
  for (let nth = 0; nth < most; nth += 1) {
    const moved = tasks.filter(({ stages }) => nth < stages.length);
    await write(db, mover, moved.map(({ values, stages }) => ({ ...values, Stage: stages[nth] ?? null }))); // prettier-ignore
  }
}

function scopeOf({ workflows, users }: Workspace, slug: string, email: string): Scope {
  const workflow = workflows.get(slug);
  if (!workflow) throw new Error(`the demo has no ${slug}`);
  const origin = new Origin({ user: users.find(email)?.id ?? '' });
  return new Scope(workflow, undefined, undefined, origin);
}

async function write(db: EntityManager, scope: Scope, tasks: readonly DemoTask['values'][]): Promise<void> {
  const rows = [];
  for (const task of tasks) {
    // Writes as an action, because only actions may move tasks to some of the stages.
    const payload = new Map(Object.entries(task));
    const { change, refused } = await parseTask(scope.workflow.schema, payload, pauses(), 'action');
    if (refused.length > 0) throw new Error(`the demo cannot have ${JSON.stringify(task)}`);
    const demands = { states: undefined, holds: unchangedFiles(change) ?? new Map() };
    rows.push(recordOf(scope.workflow, { change, mayCreate: true, demands }));
  }
  await upsertRows(db, scope, rows);
}

async function link(db: EntityManager, demo: Workspace): Promise<void> {
  const pairs = Object.entries(invoicesOf).flatMap(([vendor, invoices]) => invoices.map((invoice) => ({ vendor, invoice }))); // prettier-ignore
  await db.query(
    `INSERT INTO links (workspace_id, relationship_id, kind, from_workflow_id, from_id, to_workflow_id, to_id)
    SELECT $1, r.id, r.kind, v.workflow_id, v.id, i.workflow_id, i.id
    FROM json_to_recordset($2) p (vendor text, invoice text)
    JOIN relationships r ON r.workspace_id = $1 AND r.id = 'invoices'
    JOIN tasks v ON v.workspace_id = $1 AND v.workflow_id = r.from_workflow_id AND v.unique_value = p.vendor
    JOIN tasks i ON i.workspace_id = $1 AND i.workflow_id = r.to_workflow_id AND i.unique_value = p.invoice`,
    [demo.id, JSON.stringify(pairs)],
  );
}

/** Moves the tasks and their events into the past, by the `hours` of each task. */
async function backdate(db: EntityManager, demo: Workspace, tasks: readonly DemoTask[]): Promise<void> {
  await db.query(
    `WITH past AS (
      SELECT id, array_agg(service_now() - interval '1 hour' * hour::float8 ORDER BY nth) AS at
      FROM json_to_recordset($2) p (id text, hours json)
      CROSS JOIN LATERAL json_array_elements_text(p.hours) WITH ORDINALITY s (hour, nth) GROUP BY id
    ), moved AS (
      UPDATE tasks t SET created_at = p.at[1], updated_at = p.at[cardinality(p.at)], stage_at = p.at[cardinality(p.at)]
      FROM past p WHERE t.workspace_id = $1 AND t.unique_value = p.id
      RETURNING t.id, p.at
    )
    UPDATE events e SET happened_at = m.at[n.nth] FROM moved m, (
      SELECT place, task_id, row_number() OVER (PARTITION BY task_id ORDER BY place) AS nth
      FROM events WHERE workspace_id = $1 AND type LIKE 'task.%'
    ) n
    WHERE n.task_id = m.id AND e.workspace_id = $1 AND e.place = n.place AND m.at[n.nth] IS NOT NULL`,
    [demo.id, JSON.stringify(tasks)],
  );
}

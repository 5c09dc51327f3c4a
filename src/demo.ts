import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DataSource, type EntityManager } from 'typeorm';
import { createApiKey, KnownKeys } from './auth/api-keys.js';
import { createSignInLink } from './auth/sessions.js';
import { type Config } from './config.js';
import { applyWithin } from './definitions/apply-definition.js';
import { readDefinition } from './definitions/source/read-definition.js';
import { loadWorkspaceRows } from './workspace/workspace-rows.js';
import { UserEntity } from './entities/user.entity.js';
import { WorkspaceEntity } from './entities/workspace.entity.js';
import { projectFolder } from './lib/project-folder.js';
import { taskUrlOf } from './ops/public-address.js';
import { noPrecondition } from './task-store/task-row.js';
import { type Json } from './lib/json/json.js';
import { pauses } from './lib/turn.js';
import { parseTask } from './schema/parse-task.js';
import { writeTask } from './tasks/write-task.js';
import { compileWorkspace } from './workspace/compile-workspace.js';

/**
 * Gives a database without any workspace a demo, and returns the demo's key; later starts return the key kept beside
 * the data, as long as it is in force.
 */
export async function prepareDemo(dataSource: DataSource, config: Config): Promise<string | undefined> {
  const keyFile = join(config.dataDir, 'demo-key');
  if (await dataSource.manager.exists(WorkspaceEntity)) return keptKey(dataSource, keyFile);
  return dataSource.transaction(async (db) => {
    const key = await createDemo(db, config);
    // Before the commit: a demo whose key is lost could never be opened.
    if (!config.ephemeral) await writeFile(keyFile, key, { mode: 0o600 });
    return key;
  });
}

/** What signs in to the demo's console, as its administrator; nothing where somebody has changed who that is. */
export async function demoLink({ manager }: DataSource): Promise<string | undefined> {
  const workspace = await manager.findOneBy(WorkspaceEntity, { slug: 'demo' });
  const where = { workspaceId: workspace?.id ?? 0, emailKey: 'mina@demo.test', active: true };
  const user = await manager.findOneBy(UserEntity, where);
  return user ? createSignInLink(manager, user) : undefined;
}

async function keptKey(dataSource: DataSource, keyFile: string): Promise<string | undefined> {
  const key = (await readFile(keyFile, 'utf8').catch(() => '')).trim();
  return (await new KnownKeys(dataSource.manager).find(key)) && key;
}

async function createDemo(db: EntityManager, config: Config): Promise<string> {
  const file = join(projectFolder(), 'docs/examples/onboarding.yaml');
  await applyWithin(db, readDefinition(await readFile(file, 'utf8'), file), { author: 'the demo' });
  const { id: workspaceId } = await db.findOneByOrFail(WorkspaceEntity, { slug: 'demo' });
  const rows = await loadWorkspaceRows(db, workspaceId);
  const demo = rows && (await compileWorkspace(rows, taskUrlOf(config)));
  const vendors = demo?.workflows.get('vendors');
  if (!vendors) throw new Error('the demo has no vendors');
  for (const task of demoTasks) {
    const payload = new Map(task);
    const parsed = await parseTask(vendors.schema, payload, pauses());
    await writeTask(db, vendors, {
      verb: 'upsert',
      payload,
      parsed,
      precondition: noPrecondition,
      uploaded: new Map(),
    });
  }
  return createApiKey(db, { workspaceId, name: 'demo', scope: 'write', expiresAt: null });
}

const demoTasks: [string, Json][][] = [
  [
    ['Vendor ID', 'V-1'],
    ['Vendor Name', 'Harbour Freight'],
    ['Contract Value', '12500.00'],
    ['Risk', 'Low'],
    ['Assigned To', 'mina@demo.test'],
  ],
  [
    ['Vendor ID', 'V-2'],
    ['Vendor Name', 'Northern Mills'],
    ['Risk', 'High'],
  ],
];

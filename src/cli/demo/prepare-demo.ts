import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DataSource, type EntityManager } from 'typeorm';
import { createApiKey, KnownKeys } from '../../access/api-keys.js';
import { ApiKeyEntity } from '../../access/api-key.entity.js';
import { createSignInLink } from '../../access/sessions.js';
import { type Config } from '../../config.js';
import { mailUrlOf } from '../../messages/outbox.js';
import { applyWithin } from '../../workflows/definition/apply-definition.js';
import { mergeDefinitions } from '../../workflows/definition/merge/merge-definitions.js';
import { readDefinition, type SourceDefinition } from '../../workflows/definition/source/read-definition.js';
import { loadWorkspaceRows } from '../../workflows/model/workspace-rows.js';
import { UserEntity } from '../../workflows/model/entities/user.entity.js';
import { WorkspaceEntity } from '../../workflows/model/entities/workspace.entity.js';
import { projectFolder } from '../../common/project-folder.js';
import { taskUrlOf } from '../../common/public-address.js';
import { compileWorkspace } from '../../workflows/model/compile-workspace.js';
import { writeDemo } from './write-demo.js';

/**
 * Creates a demo in a database without workspaces, and returns its key. Later starts return the key stored beside the
 * data, as long as it is valid.
 */
export async function prepareDemo(dataSource: DataSource, config: Config): Promise<string | undefined> {
  const keyFile = join(config.dataDir, 'demo-key');
  if (await dataSource.manager.exists(WorkspaceEntity)) return keptKey(dataSource, keyFile);
  return dataSource.transaction(async (db) => {
    const key = await createDemo(db, config);
    // Written before the commit, because a demo without its key could not be used.
    if (!config.ephemeral) await writeFile(keyFile, key, { mode: 0o600 });
    return key;
  });
}

/** A sign-in link for the demo's administrator; undefined if somebody has changed who that is. */
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
  await applyWithin(db, await demoDefinition(config), { author: 'the demo', firesOverdue: true });
  const { id: workspaceId } = await db.findOneByOrFail(WorkspaceEntity, { slug: 'demo' });
  const rows = await loadWorkspaceRows(db, workspaceId);
  const demo = rows && (await compileWorkspace(rows, taskUrlOf(config)));
  if (!demo) throw new Error('the demo was not made');
  await writeDemo(db, demo);
  return createApiKey(db, { workspaceId, name: 'demo', scope: 'write', expiresAt: null });
}

/** The example definition; with mailed reminders if mail can be sent. */
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

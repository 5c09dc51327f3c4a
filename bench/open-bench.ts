import type pg from 'pg';
import { type DataSource } from 'typeorm';
import { entities } from '../src/features.js';
import { createApiKey } from '../src/access/api-keys.js';
import { createDataSource } from '../src/common/database/data-source.js';
import { applyDefinition } from '../src/workflows/definition/apply-definition.js';
import { readDefinition } from '../src/workflows/definition/source/read-definition.js';
import { WorkspaceEntity } from '../src/workflows/model/entities/workspace.entity.js';
import { type Ask, asker } from './cases.js';
import { openBenchDatabase } from './database.js';
import { type AtEnd } from './lifetime.js';

export interface Bench {
  readonly url: string;
  readonly db: pg.Client;
  readonly dataSource: DataSource;
  readonly key: string;
  readonly ask: Ask;
}

/** Opens a database with the workspace `bench`. The database is removed at the end. */
export async function openBench(definition: string, atEnd: AtEnd): Promise<Bench> {
  const { url, db } = await openBenchDatabase(atEnd);
  const dataSource = await createDataSource({ url, entities, poolSize: 2, onIdleError: () => undefined });
  await dataSource.initialize();
  atEnd(() => dataSource.destroy());
  await applyDefinition(dataSource, readDefinition(definition, 'bench.yaml'));
  const { id } = await dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug: 'bench' });
  const wanted = { workspaceId: id, name: 'bench', scope: 'write', expiresAt: null } as const;
  const key = await createApiKey(dataSource.manager, wanted);
  return { url, db, dataSource, key, ask: asker(key) };
}

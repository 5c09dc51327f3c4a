import { randomBytes } from 'node:crypto';
import { type EntityManager, IsNull } from 'typeorm';
import { announceChange } from '../database/announcements.js';
import { ApiKeyEntity } from '../entities/api-key.entity.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { generateApiKey, hashApiKey } from './api-key-text.js';

export interface NewApiKey {
  readonly workspaceId: number;
  readonly name: string;
  readonly scope: 'read' | 'write';
  readonly expiresAt: Date | null;
}

/** Stores a new key and returns it; this is the only time that anybody sees it. */
export async function createApiKey(db: EntityManager, wanted: NewApiKey): Promise<string> {
  const key = generateApiKey();
  const hash = Buffer.from(hashApiKey(key), 'hex');
  await db.insert(ApiKeyEntity, { ...wanted, id: `key_${randomBytes(6).toString('hex')}`, hash });
  return key;
}

/** Every key with the workspace it belongs to, oldest first. */
export async function listApiKeys(db: EntityManager): Promise<(ApiKeyEntity & { workspace: string })[]> {
  const workspaces = new Map((await db.find(WorkspaceEntity)).map(({ id, slug }) => [id, slug]));
  const keys = await db.find(ApiKeyEntity, { order: { workspaceId: 'ASC', createdAt: 'ASC', id: 'ASC' } });
  return keys.map((key) => ({ ...key, workspace: workspaces.get(key.workspaceId) ?? '' }));
}

/** Revokes a key by its id, at once and for good; false when there is no such key in force. */
export async function revokeApiKey(db: EntityManager, id: string): Promise<boolean> {
  const { affected } = await db.update(
    ApiKeyEntity,
    { id, revokedAt: IsNull() },
    { revokedAt: () => 'now()' },
  );
  await announceChange(db, { keys: true });
  return affected === 1;
}

import { randomBytes, hash, randomInt } from 'node:crypto';
import { type EntityManager, IsNull } from 'typeorm';
import { crc32 } from 'node:zlib';
import { announceChange } from '../database/notifications.js';
import { ApiKeyEntity } from '../entities/api-key.entity.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';

export type NewApiKey = Readonly<Pick<ApiKeyEntity, 'workspaceId' | 'name' | 'scope' | 'expiresAt'>>;

/** Stores a new key, tells every instance and returns it; this is the only time that anybody sees it. */
export async function createApiKey(db: EntityManager, wanted: NewApiKey): Promise<string> {
  const key = generateApiKey();
  const hash = Buffer.from(hashApiKey(key), 'hex');
  const id = `key_${randomBytes(6).toString('hex')}`;
  await db.transaction(async (tx) => {
    await tx.insert(ApiKeyEntity, { ...wanted, id, hash });
    await announceChange(tx, { keys: true });
  });
  return key;
}

/** Every key with the workspace it belongs to, oldest first. */
export async function listApiKeys(db: EntityManager): Promise<(ApiKeyEntity & { workspace: string })[]> {
  const workspaces = new Map((await db.find(WorkspaceEntity)).map(({ id, slug }) => [id, slug]));
  const keys = await db.find(ApiKeyEntity, { order: { workspaceId: 'ASC', createdAt: 'ASC', id: 'ASC' } });
  return keys.map((key) => ({ ...key, workspace: workspaces.get(key.workspaceId) ?? '' }));
}

/** What a key is replaced by, and how. */
export interface Rotation {
  /** Milliseconds for which both keys are in force; 0 revokes the old one at once. */
  readonly overlapMs: number;
  /** When the new key ends: null is never; undefined is never, too, and refused where the old key ends. */
  readonly expiresAt: Date | null | undefined;
}

/** Makes a key of the same workspace, name and scope, lets the old one end after the overlap, and returns the new one. */
export async function rotateApiKey(
  db: EntityManager,
  id: string,
  { overlapMs, expiresAt }: Rotation,
): Promise<string> {
  return db.transaction(async (tx) => {
    const old = await lockKeyInForce(tx, id);
    if (old.expiresAt && expiresAt === undefined)
      throw new Error(
        `The key ends by itself: say when the new one shall, by --expires, such as 90d or never.`,
      );
    const end = overlapMs === 0 ? { revokedAt: () => 'now()' } : { expiresAt: () => endAfter(overlapMs) };
    await tx.update(ApiKeyEntity, { workspaceId: old.workspaceId, id }, end);
    await announceChange(tx, { keys: true });
    const { workspaceId, name, scope } = old;
    return createApiKey(tx, { workspaceId, name, scope, expiresAt: expiresAt ?? null });
  });
}

async function lockKeyInForce(tx: EntityManager, id: string): Promise<ApiKeyEntity> {
  const lock = { mode: 'pessimistic_write' } as const;
  const key = await tx.findOne(ApiKeyEntity, { where: { id, revokedAt: IsNull() }, lock });
  if (!key || isPast(key.expiresAt)) throw new Error(`There is no key "${id}" in force. See: wts key list`);
  return key;
}

const endAfter = (milliseconds: number): string =>
  `LEAST(expires_at, now() + make_interval(secs => ${milliseconds / 1000}))`;

/** Whether a key with this expiry has ended. */
export function isPast(expiresAt: Date | null): boolean {
  return expiresAt !== null && expiresAt.getTime() <= Date.now();
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

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const shape = /^wts_([0-9A-Za-z]{34})([0-9A-Za-z]{6})$/;

/** A new key: `wts_`, 34 random characters and 6 of a checksum, so that typos and scanners know it by sight. */
export function generateApiKey(): string {
  const random = Array.from({ length: 34 }, () => base62.charAt(randomInt(62))).join('');
  return `wts_${random}${checksum(random)}`;
}

/** Whether this could be a key of ours: the shape and the checksum fit. */
export function isApiKey(text: string): boolean {
  const [, random, sum] = shape.exec(text) ?? [];
  return random !== undefined && checksum(random) === sum;
}

/** What is stored of a key: its SHA-256, in hexadecimal digits. */
export function hashApiKey(key: string): string {
  return hash('sha256', key);
}

function checksum(random: string): string {
  let rest = crc32(random);
  let text = '';
  while (text.length < 6) {
    text = base62.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

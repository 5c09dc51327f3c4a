import { randomBytes, hash, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, IsNull, Repository } from 'typeorm';
import { crc32 } from 'node:zlib';
import { announceChange } from '../common/database/notifications.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { UserEntity } from '../workflows/model/entities/user.entity.js';
import { WorkspaceEntity } from '../workflows/model/entities/workspace.entity.js';
import { LRUCache } from 'lru-cache';
import { sql } from '../common/database/sql.js';
import { type Principal } from '../common/request.js';
import { isBlankText, isTrimmed } from '../common/text.js';

/** Looks up keys. Caches a valid key for at most 5 s, so a revocation takes effect everywhere within 5 s. */
@Injectable()
export class KnownKeys {
  private readonly cache: LRUCache<string, Principal>;

  constructor(@InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>) {
    this.cache = new LRUCache<string, Principal>({
      max: 10_000,
      ttl: 5000,
      // By default, the cache would set a timer for nearly every request.
      ttlResolution: 0,
      ignoreFetchAbort: true,
      fetchMethod: (hash) => this.look(hash),
    });
  }

  /** The principal of a valid key. A key with a wrong checksum is not looked up. */
  find(key: string): Principal | undefined | Promise<Principal | undefined> {
    const hash = hashApiKey(key);
    const known = this.cache.get(hash);
    if (known) return inForce(known);
    return isApiKey(key) ? this.fetch(hash).then(inForce) : undefined;
  }

  forgetAll(): void {
    this.cache.clear();
  }

  /** If the cache is cleared during a lookup that finds no key, `cache.fetch` rejects. Then looks again. */
  private async fetch(hash: string): Promise<Principal | undefined> {
    return this.cache.fetch(hash).catch(() => this.look(hash));
  }

  private async look(hash: string): Promise<Principal | undefined> {
    const values = [Buffer.from(hash, 'hex')];
    const [row] = await sql<PrincipalRow>(this.keys.manager, findKey, values);
    if (!row) return undefined;
    const { isFirstUse, userId, narrowing, ...principal } = row;
    // Accepts the request even if the day of use cannot be stored.
    if (isFirstUse) await sql(this.keys.manager, noteUse, values).catch(() => undefined);
    return {
      ...principal,
      userId: userId ?? undefined,
      narrowing: narrowing ?? undefined,
      expiresAt: row.expiresAt && row.expiresAt.getTime(),
    };
  }
}

function inForce(principal: Principal | undefined): Principal | undefined {
  return principal && (principal.expiresAt ?? Infinity) > Date.now() ? principal : undefined;
}

type PrincipalRow = Omit<Principal, 'expiresAt' | 'userId' | 'narrowing'> &
  Readonly<Pick<ApiKeyEntity, 'expiresAt' | 'userId' | 'narrowing'>> & { readonly isFirstUse: boolean };

const today = `(now() AT TIME ZONE 'UTC')::date`;
const isMeant = 'hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())';
/** A key that acts as an inactive user is not valid. */
const isOfActive = `(k.user_id IS NULL OR EXISTS (
      SELECT 1 FROM users u WHERE u.workspace_id = k.workspace_id AND u.id = k.user_id AND u.active
    ))`;

const findKey = {
  name: 'find-key',
  scope: 'no workspace' as const,
  text: `
    SELECT workspace_id AS "workspaceId", id AS "keyId", name, scope, user_id AS "userId", narrowing, expires_at AS "expiresAt",
      last_used_on IS DISTINCT FROM ${today} AS "isFirstUse"
    FROM api_keys k WHERE ${isMeant} AND ${isOfActive}`,
};

const noteUse = {
  name: 'note-use-of-key',
  scope: 'no workspace' as const,
  text: `UPDATE api_keys SET last_used_on = ${today} WHERE ${isMeant} AND last_used_on IS DISTINCT FROM ${today}`,
};

export type NewApiKey = Readonly<
  Pick<ApiKeyEntity, 'workspaceId' | 'name' | 'scope' | 'expiresAt'> &
    Partial<Pick<ApiKeyEntity, 'userId' | 'narrowing'>>
>;

/** Generates an id, which names a key but gives no access. */
export const newKeyId = (): string => `key_${randomBytes(6).toString('hex')}`;

export const isKeyName = (text: string): boolean =>
  /^[^\p{Cc}]{1,100}$/u.test(text) && isTrimmed(text) && !isBlankText(text);

/** Stores a new key and notifies every instance. Returns the key, which cannot be read again. */
export async function createApiKey(db: EntityManager, wanted: NewApiKey, id = newKeyId()): Promise<string> {
  const key = generateApiKey();
  const hash = Buffer.from(hashApiKey(key), 'hex');
  await db.transaction(async (tx) => {
    await tx.insert(ApiKeyEntity, { ...wanted, id, hash });
    await recordKey(tx, { workspaceId: wanted.workspaceId, id }, 'key.created');
    await announceChange(tx, 'keys');
  });
  return key;
}

export interface ListedKey extends ApiKeyEntity {
  readonly workspace: string;
  readonly user: Readonly<Pick<UserEntity, 'email' | 'active'>> | undefined;
}

export async function listApiKeys(db: EntityManager): Promise<ListedKey[]> {
  const workspaces = new Map((await db.find(WorkspaceEntity)).map(({ id, slug }) => [id, slug]));
  const keys = await db.find(ApiKeyEntity, { order: { workspaceId: 'ASC', createdAt: 'ASC', id: 'ASC' } });
  const ids = keys.flatMap(({ userId }) => userId ?? []);
  const users = new Map(
    (await db.find(UserEntity, { where: { id: In(ids) } })).map((user) => [user.id, user]),
  );
  return keys.map((key) => ({
    ...key,
    workspace: workspaces.get(key.workspaceId) ?? '',
    user: users.get(key.userId ?? ''),
  }));
}

export async function namesOfKeys(
  db: EntityManager,
  workspaceId: number,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  if (ids.size === 0) return new Map();
  const rows = await sql<{ id: string; name: string }>(db, readNames, [workspaceId, [...ids]]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

const readNames = {
  name: 'read-key-names',
  text: 'SELECT id, name FROM api_keys WHERE workspace_id = $1 AND id = ANY($2)',
};

export function isPast(expiresAt: Date | null): boolean {
  return expiresAt !== null && expiresAt.getTime() <= Date.now();
}

/** Revokes a key, of any workspace by default. Returns false if the key is not found or already revoked. */
export async function revokeApiKey(db: EntityManager, id: string, workspaceId?: number): Promise<boolean> {
  return db.transaction(async (tx) => {
    const where = { id, revokedAt: IsNull(), ...(workspaceId !== undefined && { workspaceId }) };
    const key = await tx.findOne(ApiKeyEntity, { where, lock: { mode: 'pessimistic_write' } });
    if (!key) return false;
    await tx.update(ApiKeyEntity, { workspaceId: key.workspaceId, id }, { revokedAt: () => 'now()' });
    await recordKey(tx, key, 'key.revoked');
    await announceChange(tx, 'keys');
    return true;
  });
}

async function recordKey(
  tx: EntityManager,
  { workspaceId, id }: Readonly<Pick<ApiKeyEntity, 'workspaceId' | 'id'>>,
  type: 'key.created' | 'key.revoked',
): Promise<void> {
  const changed = type === 'key.revoked' ? { changed: ['revoked_at'] } : {};
  await sql(tx, recordOfKey, [workspaceId, id, type, JSON.stringify(changed)]);
}

const recordOfKey = {
  name: 'record-key',
  text: `
    INSERT INTO events (workspace_id, type, origin, about)
    SELECT $1, $3, NULLIF(current_setting('wts.origin', true), ''),
      jsonb_build_object('id', id, 'name', name, 'scope', scope, 'expires_at', expires_at) || $4::jsonb
    FROM api_keys
    WHERE workspace_id = $1 AND id = $2 AND current_setting('wts.origin', true) IS DISTINCT FROM 'none'`,
};

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const shape = /^wts_([0-9A-Za-z]{34})([0-9A-Za-z]{6})$/;

/** Generates a key: `wts_`, 34 random characters, and a checksum, by which scanners recognize a key. */
export function generateApiKey(): string {
  const random = Array.from({ length: 34 }, () => base62.charAt(randomInt(62))).join('');
  return `wts_${random}${checksum(random)}`;
}

function isApiKey(text: string): boolean {
  const [, random, sum] = shape.exec(text) ?? [];
  return random !== undefined && checksum(random) === sum;
}

function hashApiKey(key: string): string {
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

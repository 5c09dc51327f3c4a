import { randomBytes, hash, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, IsNull, Repository } from 'typeorm';
import { crc32 } from 'node:zlib';
import { announceChange } from '../database/notifications.js';
import { notFound } from '../lib/errors.js';
import { ApiKeyEntity } from '../entities/api-key.entity.js';
import { UserEntity } from '../entities/user.entity.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { LRUCache } from 'lru-cache';
import { sql } from '../database/sql.js';
import { type KeyViewer } from '../workspace/scope.js';

/**
 * Looks keys up. A valid key is cached for 5 s, so that a revocation takes effect within 5 s everywhere, even where its
 * notification was lost. A key that has a good checksum but is not valid is cached, too: to try it again and again costs
 * no query each time. A new key works at once all the same: nobody can have tried its 34 random characters before it
 * was made. A key that comes otherwise (from a backup, or by hand) is announced by a notification, which clears the
 * cache; while notifications cannot be heard, keys that are not valid are not cached.
 */
@Injectable()
export class KnownKeys {
  /** Whether this process hears at once of new keys. */
  isTold = false;
  private readonly cache: LRUCache<string, Principal>;
  private readonly misses = new LRUCache<string, true>({ max: 10_000, ttl: 5000 });
  /** How often everything was dropped: an answer of the database that is older than the last time is not kept. */
  private age = 0;

  constructor(@InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>) {
    this.cache = new LRUCache<string, Principal>({
      max: 10_000,
      ttl: 5000,
      // Else a timer would be set for nearly every request.
      ttlResolution: 0,
      ignoreFetchAbort: true,
      fetchMethod: (hash) => this.look(hash),
    });
  }

  /** The principal of this key, if it is in force; a key that fails its checksum costs no query. */
  find(key: string): Principal | undefined | Promise<Principal | undefined> {
    const hash = hashApiKey(key);
    const known = this.cache.get(hash);
    if (known) return inForce(known);
    return isApiKey(key) ? this.findUnknown(hash).then(inForce) : undefined;
  }

  forgetAll(): void {
    this.age += 1;
    this.cache.clear();
    this.misses.clear();
  }

  private async findUnknown(hash: string): Promise<Principal | undefined> {
    if (this.isTold && this.misses.has(hash)) return undefined;
    const { age } = this;
    const principal = await this.fetch(hash);
    // What was announced meanwhile may be this key.
    if (!principal && this.isTold && age === this.age) this.misses.set(hash, true);
    return principal;
  }

  /** The cache fails, instead of missing, where the key it is looking up is revoked and forgotten meanwhile. */
  private async fetch(hash: string): Promise<Principal | undefined> {
    return this.cache.fetch(hash).catch(() => this.look(hash));
  }

  private async look(hash: string): Promise<Principal | undefined> {
    const values = [Buffer.from(hash, 'hex')];
    const [row] = await sql<PrincipalRow>(this.keys.manager, findKey, values);
    if (!row) return undefined;
    const { isFirstUse, userId, narrowing, ...principal } = row;
    // Whoever may come in does so, too, where that day cannot be written.
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
/** A key acts as nobody who is no longer active. */
const isOfActive = `(k.user_id IS NULL OR EXISTS (
      SELECT 1 FROM users u WHERE u.workspace_id = k.workspace_id AND u.id = k.user_id AND u.active
    ))`;

/** Reads a key in force, and whether nobody has used it today. */
const findKey = {
  name: 'find-key',
  scope: 'no workspace' as const,
  text: `
    SELECT workspace_id AS "workspaceId", id AS "keyId", scope, user_id AS "userId", narrowing, expires_at AS "expiresAt",
      last_used_on IS DISTINCT FROM ${today} AS "isFirstUse"
    FROM api_keys k WHERE ${isMeant} AND ${isOfActive}`,
};

/** Notes the day, once. */
const noteUse = {
  name: 'note-use-of-key',
  scope: 'no workspace' as const,
  text: `UPDATE api_keys SET last_used_on = ${today} WHERE ${isMeant} AND last_used_on IS DISTINCT FROM ${today}`,
};

/** Who a request comes from: a workspace's key, which may be narrowed and may act as a user. */
export interface Principal extends KeyViewer, Readonly<Pick<ApiKeyEntity, 'workspaceId' | 'scope'>> {
  /** Milliseconds since 1970, or null when the key does not expire. */
  readonly expiresAt: number | null;
}

export type NewApiKey = Readonly<
  Pick<ApiKeyEntity, 'workspaceId' | 'name' | 'scope' | 'expiresAt'> &
    Partial<Pick<ApiKeyEntity, 'userId' | 'narrowing'>>
>;

/** What names a key; nobody opens anything by it. */
export const newKeyId = (): string => `key_${randomBytes(6).toString('hex')}`;

/** Whether a key may be called so: 1 to 100 characters on one line. */
export const isKeyName = (text: string): boolean => /^[^\p{Cc}]{1,100}$/u.test(text) && text.trim() === text;

/** Stores a new key, tells every instance and returns it; this is the only time that anybody sees it. */
export async function createApiKey(db: EntityManager, wanted: NewApiKey, id = newKeyId()): Promise<string> {
  const key = generateApiKey();
  const hash = Buffer.from(hashApiKey(key), 'hex');
  await db.transaction(async (tx) => {
    await tx.insert(ApiKeyEntity, { ...wanted, id, hash });
    await recordKey(tx, { workspaceId: wanted.workspaceId, id }, 'key.created');
    await announceChange(tx, { keys: true });
  });
  return key;
}

/** A key with the workspace that it belongs to, and the user as whom it acts. */
export interface ListedKey extends ApiKeyEntity {
  readonly workspace: string;
  readonly user: Readonly<Pick<UserEntity, 'email' | 'active'>> | undefined;
}

/** Every key, oldest first. */
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

/** The keys of a workspace, newest first. */
export async function findKeysOf(db: EntityManager, workspaceId: number): Promise<ApiKeyEntity[]> {
  return db.find(ApiKeyEntity, { where: { workspaceId }, order: { createdAt: 'DESC', id: 'ASC' } });
}

/** What keys of a workspace are called, by their ids. */
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

/** What a key is replaced by, and how. */
export interface Rotation {
  /** Milliseconds for which both keys are in force; 0 revokes the old one at once. */
  readonly overlapMs: number;
  /** When the new key ends: null is never; undefined is never, too, and refused where the old key ends. */
  readonly expiresAt: Date | null | undefined;
  /** Of which workspace the old key must be; of any where it is left out. */
  readonly of?: Readonly<Pick<ApiKeyEntity, 'workspaceId'>>;
}

/** Makes a key of the same workspace, name, scope and narrowing, lets the old one end after the overlap, and returns the new one. */
export async function rotateApiKey(
  db: EntityManager,
  id: string,
  { overlapMs, expiresAt, of }: Rotation,
): Promise<string> {
  return db.transaction(async (tx) => {
    const old = await lockKeyInForce(tx, { ...of, id });
    if (old.expiresAt && expiresAt === undefined)
      throw new Error(
        `The key ends by itself: say when the new one shall, by --expires, such as 90d or never.`,
      );
    const end = overlapMs === 0 ? { revokedAt: () => 'now()' } : { expiresAt: () => endAfter(overlapMs) };
    await tx.update(ApiKeyEntity, { workspaceId: old.workspaceId, id }, end);
    await recordKey(tx, old, overlapMs === 0 ? 'key.revoked' : 'key.rotated');
    await announceChange(tx, { keys: true });
    const { workspaceId, name, scope, userId, narrowing } = old;
    const kept = { workspaceId, name, scope, userId, narrowing };
    return createApiKey(tx, { ...kept, expiresAt: expiresAt ?? null });
  });
}

type KeyName = Readonly<Pick<ApiKeyEntity, 'id'> & Partial<Pick<ApiKeyEntity, 'workspaceId'>>>;

/** Locks a key that is not revoked; it may have ended by itself. */
async function lockKey(tx: EntityManager, named: KeyName): Promise<ApiKeyEntity | null> {
  const lock = { mode: 'pessimistic_write' } as const;
  return tx.findOne(ApiKeyEntity, { where: { ...named, revokedAt: IsNull() }, lock });
}

async function lockKeyInForce(tx: EntityManager, named: KeyName): Promise<ApiKeyEntity> {
  const key = await lockKey(tx, named);
  if (!key || isPast(key.expiresAt))
    throw notFound(`There is no key "${named.id}" in force. See: wts key list`);
  return key;
}

const endAfter = (milliseconds: number): string =>
  `LEAST(expires_at, now() + make_interval(secs => ${milliseconds / 1000}))`;

/** Whether a key with this expiry has ended. */
export function isPast(expiresAt: Date | null): boolean {
  return expiresAt !== null && expiresAt.getTime() <= Date.now();
}

/** Revokes a key by its id, at once and for good; false when there is no such key in force, or it is of another workspace than this. */
export async function revokeApiKey(db: EntityManager, id: string, workspaceId?: number): Promise<boolean> {
  return db.transaction(async (tx) => {
    const key = await lockKey(tx, { id, ...(workspaceId !== undefined && { workspaceId }) });
    if (!key) return false;
    await tx.update(ApiKeyEntity, { workspaceId: key.workspaceId, id }, { revokedAt: () => 'now()' });
    await recordKey(tx, key, 'key.revoked');
    await announceChange(tx, { keys: true });
    return true;
  });
}

/** What an event of a key says beside the key. */
const saidBeside = {
  'key.created': {},
  'key.rotated': { changed: ['expires_at'] },
  'key.revoked': { changed: ['revoked_at'] },
};

/** Records an event of a key, as it is now, with the names of what has changed. */
async function recordKey(
  tx: EntityManager,
  { workspaceId, id }: Readonly<Pick<ApiKeyEntity, 'workspaceId' | 'id'>>,
  type: keyof typeof saidBeside,
): Promise<void> {
  await sql(tx, recordOfKey, [workspaceId, id, type, JSON.stringify(saidBeside[type])]);
}

const recordOfKey = {
  name: 'record-key',
  text: `
    INSERT INTO events (workspace_id, id, type, origin, about)
    SELECT $1, take_event_id(), $3, NULLIF(current_setting('wts.origin', true), ''),
      jsonb_build_object('id', id, 'name', name, 'scope', scope, 'expires_at', expires_at) || $4::jsonb
    FROM api_keys
    WHERE workspace_id = $1 AND id = $2 AND current_setting('wts.origin', true) IS DISTINCT FROM 'none'`,
};

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const shape = /^wts_([0-9A-Za-z]{34})([0-9A-Za-z]{6})$/;

/** A new key: `wts_`, 34 random characters and 6 of a checksum, so that typos and scanners know it by sight. */
export function generateApiKey(): string {
  const random = Array.from({ length: 34 }, () => base62.charAt(randomInt(62))).join('');
  return `wts_${random}${checksum(random)}`;
}

/** Whether this could be a key of ours: the shape and the checksum fit. */
function isApiKey(text: string): boolean {
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

import { LRUCache } from 'lru-cache';
import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type ApiKeyEntity } from '../entities/api-key.entity.js';
import { hashApiKey, isApiKey } from './api-keys.js';

/**
 * Looks keys up. A valid key is cached for 5 s, so that a revocation takes effect within 5 s everywhere, even where its
 * notification was lost. A key that has a good checksum but is not valid is cached, too: to try it again and again costs
 * no query each time. A new key works at once all the same: nobody can have tried its 34 random characters before it
 * was made. A key that comes otherwise (from a backup, or by hand) is announced by a notification, which clears the
 * cache; while notifications cannot be heard, keys that are not valid are not cached.
 */
export class KnownKeys {
  /** Whether this process hears at once of new keys. */
  isTold = false;
  private readonly cache: LRUCache<string, Principal>;
  private readonly misses = new LRUCache<string, true>({ max: 10_000, ttl: 5000 });
  /** How often everything was dropped: an answer of the database that is older than the last time is not kept. */
  private age = 0;

  constructor(private readonly db: EntityManager) {
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
    const [row] = await sql<PrincipalRow>(this.db, useKey, [Buffer.from(hash, 'hex')]);
    return row && { ...row, expiresAt: row.expiresAt && row.expiresAt.getTime() };
  }
}

function inForce(principal: Principal | undefined): Principal | undefined {
  return principal && (principal.expiresAt ?? Infinity) > Date.now() ? principal : undefined;
}

type PrincipalRow = Omit<Principal, 'expiresAt'> & Readonly<Pick<ApiKeyEntity, 'expiresAt'>>;

/** Reads a key in force and notes the day of its use, once a day. */
const useKey = {
  name: 'use-key',
  text: `
    WITH used AS (
      UPDATE api_keys SET last_used_on = (now() AT TIME ZONE 'UTC')::date
      WHERE hash = $1 AND last_used_on IS DISTINCT FROM (now() AT TIME ZONE 'UTC')::date AND revoked_at IS NULL
        AND (expires_at IS NULL OR expires_at > now())
    )
    SELECT workspace_id AS "workspaceId", id AS "keyId", scope, expires_at AS "expiresAt"
    FROM api_keys
    WHERE hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
};

/** Who a request comes from: a workspace's key. */
export interface Principal extends Readonly<Pick<ApiKeyEntity, 'workspaceId' | 'scope'>> {
  readonly keyId: string;
  /** Milliseconds since 1970, or null when the key does not expire. */
  readonly expiresAt: number | null;
}

import { LRUCache } from 'lru-cache';
import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { hashApiKey, isApiKey } from './api-key-text.js';
import { type Principal } from './principal.js';

/**
 * Looks keys up. A key in force is remembered for 5 s, so that a revocation takes effect within 5 s everywhere even
 * where its announcement was lost; a key that is not is looked up each time, so that a new one works at once.
 */
export class KnownKeys {
  private readonly cache: LRUCache<string, Principal>;

  constructor(private readonly db: EntityManager) {
    this.cache = new LRUCache<string, Principal>({
      max: 10_000,
      ttl: 5000,
      ignoreFetchAbort: true,
      fetchMethod: (hash) => this.look(hash),
    });
  }

  /** The principal of this key, if it is in force; a key that fails its checksum costs no query. */
  async find(key: string): Promise<Principal | undefined> {
    const hash = hashApiKey(key);
    const principal = this.cache.get(hash) ?? (isApiKey(key) ? await this.fetch(hash) : undefined);
    return principal && (principal.expiresAt ?? Infinity) > Date.now() ? principal : undefined;
  }

  forgetAll(): void {
    this.cache.clear();
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

interface PrincipalRow extends Omit<Principal, 'expiresAt'> {
  readonly expiresAt: Date | null;
}

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

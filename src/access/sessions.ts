import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { sql } from '../common/database/sql.js';
import { SessionEntity } from './sign-in.entity.js';
import { type UserEntity } from '../workflows/model/entities/user.entity.js';
import { hashOfToken, newSecretToken, workspaceOfToken } from './secret-token.js';

export interface UserKey {
  readonly workspaceId: number;
  readonly userId: string;
}

export interface Session extends UserKey, Readonly<Pick<SessionEntity, 'hash'>> {
  /** The time zone of the browser that the user used most recently; null if unknown. */
  readonly timeZone: string | null;
  readonly now: Date;
}

export type ListedSession = Readonly<Pick<SessionEntity, 'hash' | 'browser' | 'createdAt' | 'lastSeenAt'>>;

/** Creates a link that signs in an active user once, within 15 minutes. Returns the link's token. */
export async function createSignInLink(
  db: EntityManager,
  { workspaceId, id }: Pick<UserEntity, 'workspaceId' | 'id'>,
): Promise<string> {
  const token = newSecretToken(workspaceId);
  await sql(db, deleteExpiredLinks, [workspaceId]);
  await sql(db, insertLink, [workspaceId, hashOfToken(token), id]);
  return token;
}

export const LINK_MINUTES = 15;

const deleteExpiredLinks = {
  name: 'forget-sign-in-links',
  text: 'DELETE FROM sign_in_links WHERE workspace_id = $1 AND expires_at < service_now()',
};

const insertLink = {
  name: 'enter-sign-in-link',
  text: `
    INSERT INTO sign_in_links (workspace_id, hash, user_id, expires_at)
    VALUES ($1, $2, $3, service_now() + interval '${LINK_MINUTES} minutes')`,
};

@Injectable()
export class Sessions {
  private readonly db: EntityManager;

  constructor({ manager }: DataSource) {
    this.db = manager;
  }

  /** Finds the user of a valid link, without using up the link. */
  async userOfLink(token: string): Promise<UserKey | undefined> {
    const workspaceId = workspaceOfToken(token);
    if (workspaceId === undefined) return undefined;
    const [row] = await sql<UserKey>(this.db, findLink, [workspaceId, hashOfToken(token)]);
    return row;
  }

  /** Uses up a link and begins a session. Returns the cookie's value; undefined if the link is not valid. */
  async signIn(token: string, browser: string): Promise<string | undefined> {
    const workspaceId = workspaceOfToken(token);
    if (workspaceId === undefined) return undefined;
    const secret = newSecretToken(workspaceId);
    const values = [workspaceId, hashOfToken(token), hashOfToken(secret), browser.slice(0, 200)];
    const begun = await sql(this.db, useLink, values);
    return begun.length > 0 ? secret : undefined;
  }

  /** The valid session of a cookie, if its user is active. With `recordsUse`, updates `lastSeenAt`. */
  async find(secret: string, recordsUse = true): Promise<Session | undefined> {
    const workspaceId = workspaceOfToken(secret);
    if (workspaceId === undefined) return undefined;
    const [row] = await sql<Session>(this.db, findSession, [workspaceId, hashOfToken(secret), recordsUse]);
    return row;
  }

  async ofUser({ workspaceId, userId }: UserKey): Promise<ListedSession[]> {
    return sql<ListedSession>(this.db, listSessions, [workspaceId, userId]);
  }

  /** Ends the session with this hash. Without a hash, ends all sessions of the user. */
  async signOut({ workspaceId, userId }: UserKey, sessionHash?: Buffer): Promise<void> {
    await this.db.delete(SessionEntity, { workspaceId, userId, ...(sessionHash && { hash: sessionHash }) });
  }
}

const findLink = {
  name: 'find-sign-in-link',
  text: `
    SELECT l.workspace_id AS "workspaceId", l.user_id AS "userId" FROM sign_in_links l
    JOIN users u ON u.workspace_id = l.workspace_id AND u.id = l.user_id AND u.active
    WHERE l.workspace_id = $1 AND l.hash = $2 AND l.expires_at > service_now()`,
};

const IDLE_HOURS = 12;
export const SESSION_DAYS = 30;
const sessionInForce = `s.last_seen_at > now() - interval '${IDLE_HOURS} hours' AND s.created_at > now() - interval '${SESSION_DAYS} days'`;

const useLink = {
  name: 'use-sign-in-link',
  text: `
    WITH used AS (
      DELETE FROM sign_in_links WHERE workspace_id = $1 AND hash = $2 AND expires_at > service_now() RETURNING user_id
    ), ended AS (
      DELETE FROM sessions s WHERE s.workspace_id = $1 AND NOT (${sessionInForce})
    ), noted AS (
      UPDATE users u SET last_signed_in_at = now() FROM used WHERE u.workspace_id = $1 AND u.id = used.user_id AND u.active
    )
    INSERT INTO sessions (workspace_id, hash, user_id, browser)
    SELECT $1, $3, u.id, $4 FROM used JOIN users u ON u.workspace_id = $1 AND u.id = used.user_id AND u.active
    RETURNING hash`,
};

const findSession = {
  name: 'find-session',
  text: `
    WITH seen AS (
      UPDATE sessions s SET last_seen_at = now()
      WHERE $3 AND s.workspace_id = $1 AND s.hash = $2 AND s.last_seen_at < now() - interval '1 minute' AND ${sessionInForce}
    )
    SELECT s.workspace_id AS "workspaceId", s.user_id AS "userId", s.hash,
      u.time_zone AS "timeZone", service_now() AS now FROM sessions s
    JOIN users u ON u.workspace_id = s.workspace_id AND u.id = s.user_id AND u.active
    WHERE s.workspace_id = $1 AND s.hash = $2 AND ${sessionInForce}`,
};

const listSessions = {
  name: 'list-sessions',
  text: `
    SELECT s.hash, s.browser, s.created_at AS "createdAt", s.last_seen_at AS "lastSeenAt" FROM sessions s
    WHERE s.workspace_id = $1 AND s.user_id = $2 AND ${sessionInForce}
    ORDER BY s.last_seen_at DESC, s.created_at DESC`,
};

import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { sql } from '../database/sql.js';
import { SessionEntity } from '../entities/session.entity.js';
import { type UserEntity } from '../entities/user.entity.js';
import { randomText } from '../lib/random-id.js';

/** A user of a workspace. */
export interface UserKey {
  readonly workspaceId: number;
  readonly userId: string;
}

/** Who is signed in, as a cookie tells. */
export interface Session extends UserKey, Readonly<Pick<SessionEntity, 'hash'>> {
  /** Whether single keys do something alone. */
  readonly shortcuts: boolean;
  /** Of the last browser of the user; null until one has said so. */
  readonly timeZone: string | null;
  readonly language: string | null;
}

/** What a browser holds that has asked for a mail, and the code in that mail. */
export interface MailedCode {
  readonly browser: string;
  readonly code: string;
}

/** Makes a link's secret for an active user; it, or the code beside it, signs in once, within 15 minutes. */
export async function createSignInLink(
  db: EntityManager,
  { workspaceId, id }: Pick<UserEntity, 'workspaceId' | 'id'>,
  mailed?: MailedCode,
): Promise<string> {
  const token = newToken(workspaceId);
  await sql(db, forgetLinks, [workspaceId]);
  const hashes = mailed ? [hashOf(mailed.browser), hashOfCode(mailed)] : [null, null];
  await sql(db, enterLink, [workspaceId, hashOf(token), id, ...hashes]);
  return token;
}

export const LINK_MINUTES = 15;

const forgetLinks = {
  name: 'forget-sign-in-links',
  text: 'DELETE FROM sign_in_links WHERE workspace_id = $1 AND expires_at < service_now()',
};

const enterLink = {
  name: 'enter-sign-in-link',
  text: `
    INSERT INTO sign_in_links (workspace_id, hash, user_id, browser, code, expires_at)
    VALUES ($1, $2, $3, $4, $5, service_now() + interval '${LINK_MINUTES} minutes')`,
};

/** Who is signed in, and the links that sign in. */
@Injectable()
export class SessionsRepository {
  constructor(@InjectRepository(SessionEntity) private readonly sessions: Repository<SessionEntity>) {}

  /** The user that a link would sign in, while it does; the link stays. */
  async userOfLink(token: string): Promise<UserKey | undefined> {
    const workspaceId = workspaceOfToken(token);
    if (workspaceId === undefined) return undefined;
    const [row] = await sql<UserKey>(this.sessions.manager, findLink, [workspaceId, hashOf(token)]);
    return row;
  }

  /** Uses a link up and begins a session; returns what the cookie holds, nothing where the link is not, or no longer, one. */
  async signIn(token: string, browser: string): Promise<string | undefined> {
    const workspaceId = workspaceOfToken(token);
    if (workspaceId === undefined) return undefined;
    const secret = newToken(workspaceId);
    const values = [workspaceId, hashOf(token), hashOf(secret), browser.slice(0, 200)];
    const [row] = await sql<UserKey>(this.sessions.manager, useLink, values);
    return row && secret;
  }

  /**
   * Uses up the link beside a code that was mailed, in each workspace that it is for; nobody where it is not the code, or
   * five were tried.
   */
  async useCode(mailed: MailedCode): Promise<UserKey[]> {
    const db = this.sessions.manager;
    const browser = hashOf(mailed.browser);
    // A try is counted before anything is said of the code: so many guesses at once are no more than five.
    const tried = await sql<{ isCode: boolean }>(db, tryCode, [browser, hashOfCode(mailed)]);
    return tried.some(({ isCode }) => isCode) ? sql<UserKey>(db, useCode, [browser]) : [];
  }

  /** The session of a cookie, while it is in force and its user active; notes, to the minute, that it was seen. */
  async find(secret: string): Promise<Session | undefined> {
    const workspaceId = workspaceOfToken(secret);
    if (workspaceId === undefined) return undefined;
    const [row] = await sql<Session>(this.sessions.manager, useSession, [workspaceId, hashOf(secret)]);
    return row;
  }

  /** The e-mail of a session's user, where they were deactivated. */
  async deactivatedUser(secret: string): Promise<string | undefined> {
    const workspaceId = workspaceOfToken(secret);
    if (workspaceId === undefined) return undefined;
    const [row] = await sql<{ email: string }>(this.sessions.manager, findDeactivated, [
      workspaceId,
      hashOf(secret),
    ]);
    return row?.email;
  }

  /** The session of a cookie, for requests that no person makes, such as a page that looks for changes: it is not noted as seen. */
  async look(secret: string): Promise<Session | undefined> {
    const workspaceId = workspaceOfToken(secret);
    if (workspaceId === undefined) return undefined;
    const [row] = await sql<Session>(this.sessions.manager, look, [workspaceId, hashOf(secret)]);
    return row;
  }

  /** Where a user is signed in, last used first. */
  async ofUser({ workspaceId, userId }: UserKey): Promise<SessionEntity[]> {
    return sql<SessionEntity>(this.sessions.manager, listSessions, [workspaceId, userId]);
  }

  /** Who of a workspace is signed in. */
  async byUser(workspaceId: number): Promise<SessionSummary[]> {
    return sql<SessionSummary>(this.sessions.manager, listSignedIn, [workspaceId]);
  }

  /** When these users signed in last, by their ids; who never has is absent. */
  async lastSignIns(workspaceId: number, userIds: readonly string[]): Promise<ReadonlyMap<string, Date>> {
    const rows = await sql<{ id: string; at: Date }>(this.sessions.manager, readSignIns, [
      workspaceId,
      userIds,
    ]);
    return new Map(rows.map(({ id, at }) => [id, at]));
  }

  /** Ends one session of a user, or all of them. */
  async signOut({ workspaceId, userId }: UserKey, which?: Buffer): Promise<void> {
    await this.sessions.delete({ workspaceId, userId, ...(which && { hash: which }) });
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
const inForce = `s.last_seen_at > now() - interval '${IDLE_HOURS} hours' AND s.created_at > now() - interval '${SESSION_DAYS} days'`;

const useLink = {
  name: 'use-sign-in-link',
  text: `
    WITH used AS (
      DELETE FROM sign_in_links WHERE workspace_id = $1 AND hash = $2 AND expires_at > service_now() RETURNING user_id
    ), ended AS (
      DELETE FROM sessions s WHERE s.workspace_id = $1 AND NOT (${inForce})
    ), noted AS (
      UPDATE users u SET last_signed_in_at = now() FROM used WHERE u.workspace_id = $1 AND u.id = used.user_id AND u.active
    )
    INSERT INTO sessions (workspace_id, hash, user_id, browser)
    SELECT $1, $3, u.id, $4 FROM used JOIN users u ON u.workspace_id = $1 AND u.id = used.user_id AND u.active
    RETURNING workspace_id AS "workspaceId", user_id AS "userId"`,
};

const MAX_TRIES = 5;

const tryCode = {
  name: 'try-sign-in-code',
  scope: 'all workspaces' as const,
  text: `
    UPDATE sign_in_links SET tries = tries + 1
    WHERE browser = $1 AND tries < ${MAX_TRIES} AND expires_at > service_now()
    RETURNING COALESCE(code = $2, false) AS "isCode"`,
};

const useCode = {
  name: 'use-sign-in-code',
  scope: 'all workspaces' as const,
  text: `
    DELETE FROM sign_in_links WHERE browser = $1 RETURNING workspace_id AS "workspaceId", user_id AS "userId"`,
};

const findInForce = `
    SELECT s.workspace_id AS "workspaceId", s.user_id AS "userId", s.hash, u.shortcuts,
      u.time_zone AS "timeZone", u.language FROM sessions s
    JOIN users u ON u.workspace_id = s.workspace_id AND u.id = s.user_id AND u.active
    WHERE s.workspace_id = $1 AND s.hash = $2 AND ${inForce}`;

const useSession = {
  name: 'use-session',
  text: `
    WITH seen AS (
      UPDATE sessions s SET last_seen_at = now()
      WHERE s.workspace_id = $1 AND s.hash = $2 AND s.last_seen_at < now() - interval '1 minute' AND ${inForce}
    ) ${findInForce}`,
};

const findDeactivated = {
  name: 'find-deactivated-user',
  text: `
    SELECT u.email FROM sessions s
    JOIN users u ON u.workspace_id = s.workspace_id AND u.id = s.user_id AND NOT u.active
    WHERE s.workspace_id = $1 AND s.hash = $2 AND ${inForce}`,
};

const look = { name: 'look-at-session', text: findInForce };

const listSessions = {
  name: 'list-sessions',
  text: `
    SELECT s.hash, s.browser, s.created_at AS "createdAt", s.last_seen_at AS "lastSeenAt" FROM sessions s
    WHERE s.workspace_id = $1 AND s.user_id = $2 AND ${inForce}
    ORDER BY s.last_seen_at DESC, s.created_at DESC`,
};

/** That a user is signed in, and when that was last used. */
export interface SessionSummary {
  readonly userId: string;
  readonly lastSeenAt: Date;
}

const listSignedIn = {
  name: 'signed-in-users',
  text: `
    SELECT s.user_id AS "userId", max(s.last_seen_at) AS "lastSeenAt" FROM sessions s
    JOIN users u ON u.workspace_id = s.workspace_id AND u.id = s.user_id AND u.active
    WHERE s.workspace_id = $1 AND ${inForce}
    GROUP BY s.user_id`,
};

const readSignIns = {
  name: 'last-sign-ins',
  text: `
    SELECT id, last_signed_in_at AS at FROM users
    WHERE workspace_id = $1 AND id = ANY($2) AND last_signed_in_at IS NOT NULL`,
};

/** 256 random bits behind the id of the workspace, by which they are looked up. */
const newToken = (workspaceId: number): string => `${workspaceId}.${randomText(32)}`;

const shape = /^([1-9]\d{0,8})\.[\w-]{43}$/;

/** The workspace that a link or a cookie says it is of; undefined where it cannot be one of ours. */
export function workspaceOfToken(token: string): number | undefined {
  const id = shape.exec(token)?.[1];
  return id === undefined ? undefined : Number(id);
}

const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer');

/** With what the browser holds: else six digits were soon found of their hash. */
const hashOfCode = ({ browser, code }: MailedCode): Buffer => hashOf(`${browser}.${code}`);

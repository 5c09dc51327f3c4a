import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type User } from '../workflows/fields/field-type.js';
import { findOnlyWorkspace } from '../workflows/model/workspace.repository.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { Attempts } from './attempts.js';
import { workspaceOfToken } from './secret-token.js';
import { createSignInLink, Sessions, type UserKey } from './sessions.js';

export interface SignInClient {
  readonly ip: string;
  readonly userAgent: string;
}

export interface WorkspaceLink {
  readonly workspace: string;
  readonly token: string;
}

/** The secret of a session, or one link for each workspace if a person is a user of several workspaces. */
export type SignInResult = { readonly secret: string } | { readonly links: readonly WorkspaceLink[] };

@Injectable()
export class SignIns {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sessions: Sessions,
    private readonly workspaces: Workspaces,
    private readonly attempts: Attempts,
  ) {}

  /** The slug of the only workspace; undefined if there are none or several. */
  async onlyWorkspace(): Promise<string | undefined> {
    return findOnlyWorkspace(this.dataSource.manager);
  }

  /** Finds the user of a valid link, without using up the link. */
  async userOfLink(token: string): Promise<User | undefined> {
    const found = await this.sessions.userOfLink(token);
    return found && (await this.workspaces.get(found.workspaceId)).users.get(found.userId);
  }

  /** Signs in by a link, which is then used up. Undefined if the link is not valid. */
  async byLink(token: string, { ip, userAgent }: SignInClient): Promise<SignInResult | undefined> {
    const secret = await this.sessions.signIn(token, userAgent);
    if (secret !== undefined) return { secret };
    // Counts only invalid links, so that nobody can block a valid link.
    await this.attempts.countLink(ip, workspaceOfToken(token));
    return undefined;
  }

  /** Signs in a single user. For several users, returns a link for each. Undefined for an inactive user. */
  async byUsers(users: readonly UserKey[], { userAgent }: SignInClient): Promise<SignInResult | undefined> {
    const links = await this.linksOf(users);
    if (links.length > 1) return { links };
    const secret = await this.sessions.signIn(links[0]?.token ?? '', userAgent);
    return secret === undefined ? undefined : { secret };
  }

  private async linksOf(users: readonly UserKey[]): Promise<WorkspaceLink[]> {
    const links = [];
    for (const { workspaceId, userId: id } of users) {
      const { name: workspace } = await this.workspaces.get(workspaceId);
      links.push({ workspace, token: await createSignInLink(this.dataSource.manager, { workspaceId, id }) });
    }
    return links.sort((one, other) => one.workspace.localeCompare(other.workspace));
  }
}

export type OidcRefusal = 'away' | 'refused' | 'over' | 'unverified' | 'unknown';

export class OidcFailure extends Error {
  constructor(
    readonly refusal: OidcRefusal,
    /** The reason, for the log. It contains no secrets. */
    readonly reason?: string,
    /** The e-mail from the provider, if no user has this e-mail. */
    readonly email?: string,
  ) {
    super(reason);
  }
}

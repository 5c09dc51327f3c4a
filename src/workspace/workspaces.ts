import { LRUCache } from 'lru-cache';
import { type DataSource } from 'typeorm';
import { sql } from '../database/sql.js';
import { loadWorkspaceRows } from './workspace-rows.js';
import { notFound, TryAgain } from '../lib/errors.js';
import { noWorkflow } from './not-found.js';
import { compileWorkspace } from './compile-workspace.js';
import { knows } from './narrowing.js';
import { type Viewer } from './scope.js';
import { type Workflow, type Workspace } from './workspace.js';

/**
 * Compiled workspaces, kept in memory. An entry is trusted for 5 s at most and dropped earlier when a change is
 * announced; what an old one did wrong is done again (`UnitOfWork`).
 */
export class Workspaces {
  private readonly cache: LRUCache<number, Workspace>;
  private readonly slugs = new Map<number, string>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly taskUrl: string,
  ) {
    this.cache = new LRUCache<number, Workspace>({
      max: 1000,
      ttl: 5000,
      // Else a timer would be set for nearly every request.
      ttlResolution: 0,
      // An old entry is told to `load`, which may find that it is still right.
      noDeleteOnStaleGet: true,
      ignoreFetchAbort: true,
      fetchMethod: (id, known) => this.load(id, known),
    });
  }

  /** The compiled workspace; 404 when it was deleted. */
  async get(id: number): Promise<Workspace> {
    const workspace = this.cache.get(id) ?? (await this.fetch(id));
    if (!workspace) throw notFound();
    return workspace;
  }

  /** The compiled workspace by the definition in force, whatever is in memory. */
  async inForce(id: number): Promise<Workspace> {
    const known = await this.get(id);
    return (await this.forgetUnless(id, known.version)) ? this.get(id) : known;
  }

  /** The workflow of this path id, where it is in memory. */
  known(workspaceId: number, slug: string): Workflow | undefined {
    return this.cache.get(workspaceId)?.workflows.get(slug);
  }

  /** What its definition calls a workspace that was used here. */
  knownSlug(id: number | undefined): string | null {
    return (id === undefined ? undefined : this.slugs.get(id)) ?? null;
  }

  /** The workflow of this path id; 404 when there is none such that the viewer knows of. */
  async workflow(workspaceId: number, slug: string, viewer?: Viewer): Promise<Workflow> {
    const { version, workflows } = await this.get(workspaceId);
    const known = workflows.get(slug);
    if (known && isKnownTo(viewer, known)) return known;
    await this.forgetUnless(workspaceId, version);
    const workspace = await this.get(workspaceId);
    const all = workflowsKnownTo(workspace, viewer);
    const workflow = all.find((workflow) => workflow.slug === slug);
    if (!workflow) throw noWorkflow(all, slug);
    return workflow;
  }

  forget(id: number): void {
    this.cache.delete(id);
  }

  forgetAll(): void {
    this.cache.clear();
  }

  /** The cache fails, instead of missing, where what it is loading is deleted and forgotten meanwhile. */
  private async fetch(id: number): Promise<Workspace | undefined> {
    return this.cache.fetch(id).catch(() => this.load(id, undefined));
  }

  /** Forgets the workspace, and says so, when this version is no longer the one in force. */
  async forgetUnless(id: number, version: number): Promise<boolean> {
    const isCurrent = (await this.version(id)) === version;
    if (!isCurrent) this.forgetVersion(id, version);
    return !isCurrent;
  }

  /** Throws when the definition of this version is no longer the one in force, so that the work is done again by the new one. */
  async assertInForce(workspaceId: number, version: number): Promise<void> {
    if (await this.forgetUnless(workspaceId, version))
      throw new StaleDefinition('the definition has changed');
  }

  /** Forgets this version only: of many who find it out of date, one reloads for all. */
  forgetVersion(id: number, version: number): void {
    if (this.cache.peek(id)?.version === version) this.cache.delete(id);
  }

  private async version(id: number): Promise<number | undefined> {
    const [row] = await sql<{ version: number }>(this.dataSource.manager, readVersion, [id]);
    return row?.version;
  }

  private async load(id: number, known: Workspace | undefined): Promise<Workspace | undefined> {
    if (known && (await this.version(id)) === known.version) return known;
    const rows = await this.dataSource.transaction('REPEATABLE READ', (db) => loadWorkspaceRows(db, id));
    if (rows) this.slugs.set(id, rows.workspace.slug);
    return rows && (await compileWorkspace(rows, this.taskUrl));
  }
}

/** The workflows of a workspace that a viewer knows of, in the order of its definition. */
export function workflowsKnownTo({ workflows }: Workspace, viewer: Viewer | undefined): Workflow[] {
  return [...workflows.values()].filter((workflow) => isKnownTo(viewer, workflow));
}

const readVersion = { name: 'read-version', text: 'SELECT version FROM workspaces WHERE id = $1' };

/** A statement met another definition than the one it was compiled for. */
export class StaleDefinition extends TryAgain {}

/** Throws when the version that a statement saw is not the one that the reader was compiled for. */
export function assertVersion(seen: number, known: number): void {
  if (seen !== known) throw new StaleDefinition('the definition has changed');
}

/** Why a user names nobody else as who acts. */
export const notYou = 'is somebody else: you act for yourself';

/** Whether this viewer knows of the workflow: a narrowed key those that it is narrowed to, a user none of which they see no task. */
export function isKnownTo(viewer: Viewer | undefined, { id, slug, permissions }: Workflow): boolean {
  if (!knows(viewer?.narrowing, slug)) return false;
  return viewer?.userId === undefined || permissions.permissionsOf(viewer.userId, id).sees !== 'none';
}

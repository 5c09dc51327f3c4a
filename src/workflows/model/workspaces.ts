import { LRUCache } from 'lru-cache';
import { type DataSource } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { loadWorkspaceRows } from './workspace-rows.js';
import { notFound, TryAgain } from '../../common/errors.js';
import { noWorkflow } from './not-found.js';
import { compileWorkspace } from './compile-workspace.js';
import { isKnownTo, workflowsKnownTo, type Viewer } from './known.js';
import { type Workflow, type Workspace } from './workspace.js';

/**
 * A cache of compiled workspaces. After 5 s, the version of an entry is checked again. If a change is
 * announced, the entry is removed at once. `UnitOfWork` repeats work that used an outdated entry.
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
      // With the default resolution, almost every request would set a timer.
      ttlResolution: 0,
      // `load` needs the old entry, which may still be valid.
      noDeleteOnStaleGet: true,
      ignoreFetchAbort: true,
      fetchMethod: (id, known) => this.load(id, known),
    });
  }

  /** The compiled workspace; 404 if it was deleted. */
  async get(id: number): Promise<Workspace> {
    const workspace = this.cache.get(id) ?? (await this.fetch(id));
    if (!workspace) throw notFound();
    return workspace;
  }

  /** The compiled workspace under the definition in force, checked against the database. */
  async inForce(id: number): Promise<Workspace> {
    const known = await this.get(id);
    return (await this.forgetUnless(id, known.version)) ? this.get(id) : known;
  }

  /** The workflow with this slug; undefined if the cache does not contain it. */
  known(workspaceId: number, slug: string): Workflow | undefined {
    return this.cache.get(workspaceId)?.workflows.get(slug);
  }

  /** The slug of a workspace; null if this process has not loaded the workspace. */
  knownSlug(id: number | undefined): string | null {
    return (id === undefined ? undefined : this.slugs.get(id)) ?? null;
  }

  /** The workflow with this slug; 404 if the viewer does not know it. */
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

  /**
   * Loads the workspace. If `cache.fetch` rejects, loads again without the cache. `cache.fetch` rejects if
   * the load fails, or if the entry is deleted during the load and the load finds no workspace.
   */
  private async fetch(id: number): Promise<Workspace | undefined> {
    return this.cache.fetch(id).catch(() => this.load(id, undefined));
  }

  /** Returns whether another version is in force, and if so, forgets this version. */
  async forgetUnless(id: number, version: number): Promise<boolean> {
    const isCurrent = (await this.version(id)) === version;
    if (!isCurrent) this.forgetVersion(id, version);
    return !isCurrent;
  }

  /** Throws if another version of the definition is in force. The caller then repeats its work. */
  async assertInForce(workspaceId: number, version: number): Promise<void> {
    if (await this.forgetUnless(workspaceId, version))
      throw new StaleDefinition('the definition has changed');
  }

  /**
   * Forgets the workspace only if the cache has this version. If many requests have an outdated version, the
   * new version is thus loaded only once.
   */
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

const readVersion = { name: 'read-version', text: 'SELECT version FROM workspaces WHERE id = $1' };

/** Thrown if a statement was compiled for another version of the definition than the one in force. */
export class StaleDefinition extends TryAgain {}

/** Throws if a statement read another version of the definition than the one that the caller knows. */
export function assertVersion(seen: number, known: number): void {
  if (seen !== known) throw new StaleDefinition('the definition has changed');
}

import { type EntityManager } from 'typeorm';
import { FairSemaphore } from '../../packages/fair/semaphore.js';
import { busy } from '../common/errors.js';
import { WorkspaceEntity } from '../workflows/model/entities/workspace.entity.js';
import { Scope } from '../workflows/model/scope.js';
import { UnitOfWork } from '../workflows/model/unit-of-work.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { noWorkspace } from './with-database.js';

/** A workflow as commands name it. */
export interface WorkflowOptions {
  readonly workspace: string;
  readonly workflow: string;
}

/** What work on a workflow needs. */
export interface OpenWorkflow {
  readonly workspaces: Workspaces;
  readonly work: UnitOfWork;
  readonly scope: Scope;
}

/** Prepares work on a workflow; `taskUrl` is the template of the `Task URL` of its tasks. */
export async function openWorkflow(
  db: EntityManager,
  { workspace, workflow }: WorkflowOptions,
  taskUrl: string,
): Promise<OpenWorkflow> {
  const found = await db.findOneBy(WorkspaceEntity, { slug: workspace });
  if (!found) throw await noWorkspace(db, workspace);
  const workspaces = new Workspaces(db.dataSource, taskUrl);
  const { workflows } = await workspaces.get(found.id);
  const wanted = workflows.get(workflow);
  if (!wanted)
    throw new Error(
      `There is no workflow "${workflow}" in ${workspace}. It has: ${[...workflows.keys()].join(', ')}`,
    );
  const writers = new FairSemaphore(1, busy('Another write is under way.'));
  return { workspaces, work: new UnitOfWork(db.dataSource, workspaces, writers), scope: new Scope(wanted) };
}

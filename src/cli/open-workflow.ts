import { type EntityManager } from 'typeorm';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { type Workflow } from '../workflows/workspace.js';
import { Workspaces } from '../workflows/workspaces.js';

/**
 * The workflow of these ids, and the memory of definitions it came from; throws when there is none. `taskUrl` is the
 * template of what its tasks show as `Task URL`.
 */
export async function openWorkflow(
  db: EntityManager,
  workspace: string,
  workflow: string,
  taskUrl: string,
): Promise<{ workspaces: Workspaces; workflow: Workflow }> {
  const found = await db.findOneBy(WorkspaceEntity, { slug: workspace });
  if (!found) throw new Error(`There is no workspace "${workspace}". See: wts workspace list`);
  const workspaces = new Workspaces(db.dataSource, taskUrl);
  const { workflows } = await workspaces.get(found.id);
  const wanted = workflows.get(workflow);
  if (!wanted)
    throw new Error(
      `There is no workflow "${workflow}" in ${workspace}. It has: ${[...workflows.keys()].join(', ')}`,
    );
  return { workspaces, workflow: wanted };
}

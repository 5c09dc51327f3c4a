import { type DataSource } from 'typeorm';
import { WorkspaceEntity } from '../src/workflows/model/entities/workspace.entity.js';
import { loadWorkspaceRows } from '../src/workflows/model/workspace-rows.js';

/** What the baselines know about the workflow: as much as handwritten code would contain. */
export interface Outline {
  readonly poolSize: number;
  readonly workspaceId: number;
  readonly workflowId: number;
  readonly version: number;
  readonly workflow: string;
  /** The `Task URL` of a task up to the task's public id. */
  readonly taskUrl: string;
  readonly stages: readonly { readonly id: number; readonly name: string; readonly isEnd: boolean }[];
  readonly users: readonly { readonly id: string; readonly email: string }[];
  readonly fields: readonly OutlineField[];
}

export interface OutlineField {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly options: readonly string[];
}

export type DatabaseOutline = Omit<Outline, 'poolSize' | 'taskUrl'>;

export async function readOutline(dataSource: DataSource, workflow: string): Promise<DatabaseOutline> {
  const { id } = await dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug: 'bench' });
  const rows = await loadWorkspaceRows(dataSource.manager, id);
  const found = rows?.workflows.find(({ slug }) => slug === workflow);
  if (!rows || !found) throw new Error(`no workflow ${workflow}`);
  const isOurs = ({ workflowId }: { workflowId: number }): boolean => workflowId === found.id;
  return {
    workspaceId: id,
    workflowId: found.id,
    version: rows.workspace.version,
    workflow,
    stages: rows.stages.filter(isOurs).map(({ id, name, isEnd }) => ({ id, name, isEnd })),
    users: rows.users.map(({ id, email }) => ({ id, email })),
    fields: rows.fields.filter(isOurs).map(({ id, name, type, settings: { options } }) => ({
      id,
      name,
      type,
      options: Array.isArray(options) ? options.map(String) : [],
    })),
  };
}

import { type EntityManager } from 'typeorm';
import { namesOfKeys } from '../access/api-keys.js';
import { sql } from '../common/database/sql.js';
import { sourceOf } from '../common/origin.js';
import { urlOfTask } from '../common/public-address.js';
import { type FormerNameEntity } from './event.entity.js';
import { type Known, knowsAll } from '../workflows/model/known.js';
import { type Workflow, type Workspace } from '../workflows/model/workspace.js';
import { type RecordedEvent } from './events.repository.js';

/** Turns the ids in events into current names. For deleted workflows and stages, uses their final names. */
export interface EventNames {
  readonly workspace: Workspace;
  readonly workflowOf: (id: number) => Workflow | undefined;
  readonly slugOf: (id: number) => string | null;
  readonly stageOf: (workflowId: number, id: number) => string | null;
  readonly userOf: (id: string | null) => string | null;
  readonly keyOf: (id: string) => string | null;
  readonly taskUrlOf: (slug: string, publicId: string) => string;
  /** Says whether the reader may see a workflow. */
  readonly known: Known;
}

export async function namesOfEvents(
  db: EntityManager,
  workspace: Workspace,
  taskUrl: string,
  events: readonly RecordedEvent[],
  known: Known = knowsAll,
): Promise<EventNames> {
  const workflows = new Map([...workspace.workflows.values()].map((workflow) => [workflow.id, workflow]));
  const [keys, former] = await Promise.all([
    keyNames(db, workspace.id, events),
    formerNames(db, workspace.id),
  ]);
  return {
    workspace,
    workflowOf: (id) => workflows.get(id),
    slugOf: (id) => workflows.get(id)?.slug ?? former.get(`workflow/${id}`) ?? null,
    stageOf: (workflowId, id) =>
      workflows.get(workflowId)?.schema.stages.all.find((stage) => stage.id === id)?.name ??
      former.get(`stage/${id}`) ??
      null,
    userOf: (id) => (id === null ? null : (workspace.users.get(id)?.email ?? null)),
    keyOf: (id) => keys.get(id) ?? null,
    taskUrlOf: (slug, publicId) => urlOfTask(taskUrl, slug, publicId),
    known,
  };
}

function keyNames(
  db: EntityManager,
  workspaceId: number,
  events: readonly RecordedEvent[],
): Promise<ReadonlyMap<string, string>> {
  const ids = events.map(({ origin }) => sourceOf(origin).key).filter((id) => id !== undefined);
  return namesOfKeys(db, workspaceId, new Set(ids));
}

async function formerNames(db: EntityManager, workspaceId: number): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<FormerNameEntity>(db, readFormer, [workspaceId]);
  return new Map(rows.map(({ kind, id, name }) => [`${kind}/${id}`, name]));
}

const readFormer = {
  name: 'read-former-names',
  text: 'SELECT kind, id, name FROM former_names WHERE workspace_id = $1',
};

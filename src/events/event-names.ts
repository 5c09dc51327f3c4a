import { type EntityManager } from 'typeorm';
import { namesOfKeys } from '../auth/api-keys.js';
import { sql } from '../database/sql.js';
import { type Source } from '../database/origin.js';
import { type FormerNameEntity } from '../entities/former-name.entity.js';
import { type Workflow, type Workspace } from '../workspace/workspace.js';
import { english, type Telling } from '../lib/message.js';
import { type RecordedEvent } from './events.repository.js';

/** The names that events use: those in force, and the last ones of things that are gone. */
export interface EventNames {
  readonly workspace: Workspace;
  readonly workflowOf: (id: number) => Workflow | undefined;
  /** What paths call a workflow. */
  readonly slugOf: (id: number) => string | null;
  readonly stageOf: (workflowId: number, id: number) => string | null;
  readonly userOf: (id: string | null) => string | null;
  readonly keyOf: (id: string) => string | null;
  readonly taskUrlOf: (slug: string, publicId: string) => string;
  readonly told: Telling;
}

/** The names that these events are told by. */
export async function namesOfEvents(
  db: EntityManager,
  workspace: Workspace,
  taskUrl: string,
  events: readonly RecordedEvent[],
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
    taskUrlOf: urlsOf(taskUrl),
    told: english,
  };
}

function urlsOf(taskUrl: string): EventNames['taskUrlOf'] {
  const templates = new Map<string, string>();
  return (slug, publicId) => {
    const known = templates.get(slug) ?? taskUrl.replaceAll('{workflow}', () => encodeURIComponent(slug));
    templates.set(slug, known);
    return known.replaceAll('{task}', () => publicId);
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

/** Where an event comes from: an `Origin`, or a definition that was applied. */
export interface EventSource extends Source {
  readonly definition?: number;
  readonly name?: string;
}

/** Reads what an event says of its origin; somebody else than the service may have set it. */
export function sourceOf(origin: string | null): EventSource {
  if (origin === null) return {};
  try {
    const source: unknown = JSON.parse(origin);
    return typeof source === 'object' && source !== null ? source : {};
  } catch {
    return {};
  }
}

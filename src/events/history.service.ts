import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { type PageQuery, pagedList, type RequestAddress } from '../common/http/paged-list.js';
import { type TaskList } from '../common/http/replies.js';
import { taskUrlOf } from '../common/public-address.js';
import { findTaskKey, type TaskKey } from '../tasks/store/task-keys.js';
import { UnitOfWork } from '../workflows/model/unit-of-work.js';
import { knownIn, knownTo } from '../workflows/model/known.js';
import { type TaskName } from '../workflows/model/task-name.js';
import { type Workflow, type Workspace } from '../workflows/model/workspace.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { namesOfEvents } from './event-names.js';
import { historyPage, type RecordedEvent } from './events.repository.js';
import { serializeEvents } from './serialize-event.js';
import { sql } from '../common/database/sql.js';
import { type Scope } from '../workflows/model/scope.js';
import { type ReadPage } from '../common/id-page.js';

@Injectable()
export class HistoryService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly workspaces: Workspaces,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The events of the task, newest first: all of them, or a page. */
  async list(scope: Scope, name: TaskName, page: PageQuery, address: RequestAddress): Promise<TaskList> {
    return this.work.read(scope, async (db, current) => {
      const task = await findTaskKey(db, current, name);
      const workspace = await this.workspaces.get(current.workspaceId);
      const read = readHistory(db, task, workspace, taskUrlOf(this.config), current);
      const write = ({ json }: Shown): string => json;
      const list = { scope: current, name: ['history', task.taskId], read, write };
      return pagedList(list, page, address, this.config);
    });
  }
}

interface Shown {
  readonly json: string;
}

/** Reads the part of a task's history that the viewer may see, page by page. */
function readHistory(
  db: EntityManager,
  task: TaskKey,
  workspace: Workspace,
  taskUrl: string,
  viewed: Scope,
): ReadPage<Shown> {
  return async (before, limit) => {
    const page = await historyPage(db, task, before, limit);
    const found = page.rows.map(({ event }) => event);
    const events = await withSeenLinks(db, viewed, found);
    const known = knownIn(knownTo(workspace, viewed.viewer));
    const names = await namesOfEvents(db, workspace, taskUrl, events, known);
    return { ...page, rows: await serializeEvents(events, names, viewed) };
  };
}

type RecordedLink = NonNullable<RecordedEvent['links']>[number];

async function withSeenLinks(
  db: EntityManager,
  scope: Scope,
  events: readonly RecordedEvent[],
): Promise<readonly RecordedEvent[]> {
  const { bound } = scope;
  if (!bound) return events;
  const { whole, assigned } = bound.sight;
  const all = events.flatMap(({ links }) => links ?? []);
  const asked = all.filter(([side]) => assigned.includes(farWorkflow(scope.workflow, side)));
  const seen = await assignedOf(db, scope.workflow, bound.userId, asked);
  const isSeen = (link: RecordedLink): boolean =>
    whole.includes(farWorkflow(scope.workflow, link[0])) || seen.has(nameOf(scope.workflow, link));
  return events.map((event) => ({ ...event, links: event.links?.filter(isSeen) ?? null }));
}

/** The id of the workflow at the other end of a relationship, or 0 if the relationship no longer exists. */
function farWorkflow({ schema }: Workflow, side: string): number {
  return schema.links.get(side)?.otherWorkflowId ?? 0;
}

const nameOf = (workflow: Workflow, [side, , uniqueId]: RecordedLink): string =>
  `${farWorkflow(workflow, side)} ${uniqueId ?? ''}`;

/** The linked tasks that are assigned to the user, each as the id of its workflow and its Unique ID. */
async function assignedOf(
  db: EntityManager,
  workflow: Workflow,
  userId: string,
  links: readonly RecordedLink[],
): Promise<ReadonlySet<string>> {
  if (links.length === 0) return new Set();
  const workflows = links.map(([side]) => farWorkflow(workflow, side));
  const uniqueIds = links.map(([, , uniqueId]) => uniqueId);
  const rows = await sql<{ name: string }>(db, find, [workflow.workspaceId, workflows, uniqueIds, userId]);
  return new Set(rows.map(({ name }) => name));
}

const find = {
  name: 'assigned-of',
  text: `
    SELECT t.workflow_id || ' ' || t.unique_value AS name
    FROM (SELECT DISTINCT * FROM unnest($2::integer[], $3::text[]) n (workflow_id, unique_value)) n
    JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = n.workflow_id AND t.unique_value = n.unique_value
    WHERE t.assignee_id = $4`,
};

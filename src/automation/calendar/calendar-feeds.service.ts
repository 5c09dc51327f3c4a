import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { hashOfToken, newSecretToken, workspaceOfToken } from '../../access/secret-token.js';
import { type UserKey } from '../../access/sessions.js';
import { notFound } from '../../common/errors.js';
import { sql } from '../../common/database/sql.js';
import { publicAddress, taskUrlOf, urlOfTask } from '../../common/public-address.js';
import { CONFIG, type Config } from '../../config.js';
import { taskColumns, type TaskRow } from '../../tasks/store/task-row.js';
import { titleOf } from '../../workflows/fields/serialize-task.js';
import { type Workflow, type Workspace } from '../../workflows/model/workspace.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import { CalendarFeedEntity } from './calendar-feed.entity.js';
import { iCalendar } from './icalendar.js';

@Injectable()
export class CalendarFeeds {
  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Makes a new address in place of the former one. Only its hash is stored, so nobody can read the address again. */
  async make({ workspaceId, userId }: UserKey): Promise<string> {
    const token = newSecretToken(workspaceId);
    const feed = { workspaceId, userId, hash: hashOfToken(token) };
    await this.dataSource.manager.upsert(CalendarFeedEntity, feed, ['workspaceId', 'userId']);
    return `${publicAddress(this.config)}/calendar/${token}.ics`;
  }

  async remove({ workspaceId, userId }: UserKey): Promise<void> {
    await this.dataSource.manager.delete(CalendarFeedEntity, { workspaceId, userId });
  }

  /** Whether the user has an address. */
  async isMade({ workspaceId, userId }: UserKey): Promise<boolean> {
    return this.dataSource.manager.existsBy(CalendarFeedEntity, { workspaceId, userId });
  }

  /** The calendar at an address; 404 if there is none, or its user has left. */
  async read(token: string): Promise<string> {
    const workspaceId = workspaceOfToken(token);
    if (workspaceId === undefined) throw notFound();
    const at = { workspaceId, hash: hashOfToken(token) };
    const user = await this.dataSource.manager.findOneBy(CalendarFeedEntity, at);
    const workspace = user && (await this.workspaces.get(workspaceId));
    if (!user || workspace?.users.get(user.userId)?.active !== true) throw notFound();
    const seen = workflowsSeenIn(workspace, user.userId);
    const tasks = await dueTasks(this.dataSource.manager, user, [...seen.keys()]);
    const { hostname } = new URL(publicAddress(this.config));
    const entries = tasks.flatMap(({ workflowId, dueAt, ...task }) => {
      const { publicId, changedAt } = task;
      const workflow = seen.get(workflowId);
      if (!workflow) return [];
      const url = urlOfTask(taskUrlOf(this.config), workflow.slug, publicId);
      const summary = `${titleOf(workflow, task)}: due`;
      return { uid: `${publicId}-due@${hostname}`, summary, url, at: dueAt, changedAt: new Date(changedAt) };
    });
    return iCalendar(workspace.name, entries);
  }
}

function workflowsSeenIn(workspace: Workspace, userId: string): ReadonlyMap<number, Workflow> {
  const { whole, assigned } = workspace.permissions.sightOf(userId);
  const seen = new Set([...whole, ...assigned]);
  const workflows = [...workspace.workflows.values()].filter(({ id }) => seen.has(id));
  return new Map(workflows.map((workflow) => [workflow.id, workflow]));
}

type DueTask = TaskRow & { readonly workflowId: number; readonly dueAt: Date };

/** The open tasks of a user in these workflows that are due, the first one first. */
async function dueTasks(
  db: EntityManager,
  { workspaceId, userId }: UserKey,
  workflowIds: readonly number[],
): Promise<DueTask[]> {
  return sql<DueTask>(db, due, [workspaceId, userId, workflowIds]);
}

const MAX_TASKS = 500;

const due = {
  name: 'due-tasks',
  text: `
    SELECT t.* FROM unnest($3::integer[]) w (id) CROSS JOIN LATERAL (
      SELECT ${taskColumns.replace(/t\.field_values AS/, "CASE WHEN pg_column_size(t.field_values) <= 16384 THEN t.field_values ELSE '{}' END AS")},
        t.workflow_id AS "workflowId", t.due_at AS "dueAt"
      FROM tasks t WHERE t.workspace_id = $1 AND t.workflow_id = w.id AND t.is_active AND t.assignee_id = $2
        AND t.due_at IS NOT NULL
      ORDER BY t.due_at, t.id LIMIT ${MAX_TASKS}
    ) t ORDER BY t."dueAt", t.id LIMIT ${MAX_TASKS}`,
};

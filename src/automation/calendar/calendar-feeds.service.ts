import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { hashOfToken, newSecretToken, workspaceOfToken } from '../../access/secret-token.js';
import { type UserKey } from '../../access/sessions.js';
import { notFound } from '../../common/errors.js';
import { sql } from '../../common/database/sql.js';
import { publicAddress, taskUrlOf } from '../../common/public-address.js';
import { CONFIG, type Config } from '../../config.js';
import { taskColumns, type TaskRow } from '../../tasks/store/task-row.js';
import { titleOf } from '../../workflows/fields/serialize-task.js';
import { type Workflow, type Workspace } from '../../workflows/model/workspace.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import { CalendarFeedEntity } from './calendar-feed.entity.js';
import { type CalendarEntry, iCalendar } from './icalendar.js';

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
    const feed = { workspaceId, userId, hash: hashOfToken(token), createdAt: () => 'service_now()' };
    await this.dataSource.manager.upsert(CalendarFeedEntity, feed, ['workspaceId', 'userId']);
    return `${publicAddress(this.config)}/calendar/${token}.ics`;
  }

  async remove({ workspaceId, userId }: UserKey): Promise<void> {
    await this.dataSource.manager.delete(CalendarFeedEntity, { workspaceId, userId });
  }

  /** Since when the user has an address; undefined if they have none. */
  async since({ workspaceId, userId }: UserKey): Promise<Date | undefined> {
    const feed = await this.dataSource.manager.findOneBy(CalendarFeedEntity, { workspaceId, userId });
    return feed?.createdAt;
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
    const tasks = await datedTasks(this.dataSource.manager, user, [...seen.keys()]);
    const entries = tasks.flatMap((task) => {
      const workflow = seen.get(task.workflowId);
      return workflow ? this.entriesOf(workflow, task) : [];
    });
    return iCalendar(workspace.name, entries);
  }

  private entriesOf(workflow: Workflow, task: DatedTask): CalendarEntry[] {
    const { publicId, changedAt, dueAt } = task;
    const url = taskUrlOf(this.config)
      .replace('{workflow}', () => encodeURIComponent(workflow.slug))
      .replace('{task}', () => publicId);
    const title = titleOf(workflow, task);
    const entry = (of: string, what: string, at: Date | string): CalendarEntry => ({
      uid: `${publicId}-${of}@${new URL(publicAddress(this.config)).hostname}`,
      summary: `${title}: ${what}`,
      url,
      at,
      changedAt: new Date(changedAt),
    });
    const days = workflow.schema.properties.flatMap((property) => {
      const { name, typeName, fieldId = '' } = property;
      const value = typeName === 'date' || typeName === 'datetime' ? property.serialize(task) : null;
      if (typeof value !== 'string') return [];
      return [entry(fieldId, name, typeName === 'date' ? value : new Date(value))];
    });
    return [...(dueAt ? [entry('due', 'due', dueAt)] : []), ...days];
  }
}

function workflowsSeenIn(workspace: Workspace, userId: string): ReadonlyMap<number, Workflow> {
  const { whole, assigned } = workspace.permissions.sightOf(userId);
  const seen = new Set([...whole, ...assigned]);
  const workflows = [...workspace.workflows.values()].filter(({ id }) => seen.has(id));
  return new Map(workflows.map((workflow) => [workflow.id, workflow]));
}

type DatedTask = TaskRow & { readonly workflowId: number; readonly dueAt: Date | null };

/** The open tasks of a user in these workflows, in the order of their due times. */
async function datedTasks(
  db: EntityManager,
  { workspaceId, userId }: UserKey,
  workflowIds: readonly number[],
): Promise<DatedTask[]> {
  return sql<DatedTask>(db, dated, [workspaceId, userId, workflowIds]);
}

const MAX_TASKS = 500;

const dated = {
  name: 'dated-tasks',
  text: `
    SELECT t.* FROM unnest($3::integer[]) w (id) CROSS JOIN LATERAL (
      SELECT ${taskColumns.replace(/t\.field_values AS/, "CASE WHEN pg_column_size(t.field_values) <= 16384 THEN t.field_values ELSE '{}' END AS")},
        t.workflow_id AS "workflowId", t.due_at AS "dueAt"
      FROM tasks t WHERE t.workspace_id = $1 AND t.workflow_id = w.id AND t.is_active AND t.assignee_id = $2
      ORDER BY t.due_at NULLS LAST, t.id LIMIT ${MAX_TASKS}
    ) t ORDER BY t."dueAt" NULLS LAST, t.id LIMIT ${MAX_TASKS}`,
};

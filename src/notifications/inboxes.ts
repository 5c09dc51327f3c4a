import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { namesOfKeys } from '../auth/api-keys.js';
import { sql } from '../database/sql.js';
import { type TaskRow } from '../task-store/task-row.js';
import { findTasksOfIds } from '../task-store/task.repository.js';
import { type Workflow, type Workspace } from '../workspace/workspace.js';
import {
  changeLine,
  hasUnreadOfTask,
  type InboxLine,
  type InboxOwner,
  type InboxState,
  type InboxTask,
  type LineName,
  readInbox,
  readInboxState,
  readTaskNotices,
} from './inbox.repository.js';
import { snoozedUntil } from './snooze.js';

/** Who reads an inbox: a user of a workspace. */
export interface InboxReader {
  readonly workspace: Workspace;
  readonly userId: string;
}

/** A line of an inbox with what it is about. */
export interface ShownLine extends InboxLine {
  readonly workflow: Workflow;
  /** Undefined where it is of many tasks. */
  readonly task: TaskRow | undefined;
  /** What the key is called by which it was done. */
  readonly keyName: string | undefined;
}

/** Lines of an inbox, and whether there are more behind them. */
export interface InboxStretch {
  readonly lines: readonly ShownLine[];
  readonly hasMore: boolean;
}

/** What a person does with a line; `until` is a day, `tomorrow` or `monday`. */
export type LineDeed =
  { readonly does: 'done' | 'read' | 'unread' } | { readonly does: 'snooze'; readonly until: string };

/** What people were told of, as they read it. */
@Injectable()
export class Inboxes {
  constructor(private readonly dataSource: DataSource) {}

  /** How many lines are unread. */
  state(reader: InboxReader): Promise<InboxState> {
    return readInboxState(this.dataSource.manager, ownerOf(reader));
  }

  /** The lines, the newest first, with the field by which each of their tasks is called. */
  async page(
    reader: InboxReader,
    after: { readonly at: Date; readonly line: string } | undefined,
    titleFieldOf: (workflow: Workflow) => string | undefined,
  ): Promise<InboxStretch> {
    const found = await readInbox(this.dataSource.manager, ownerOf(reader), after, MOST_LINES + 1);
    const lines = found.slice(0, MOST_LINES);
    const tasks = await this.tasksOf(reader, lines, titleFieldOf);
    const keys = lines.flatMap(({ actor }) => (actor.kind === 'key' && actor.id !== null ? actor.id : []));
    const names = await namesOfKeys(this.dataSource.manager, reader.workspace.id, new Set(keys));
    const shown = lines.flatMap((line) => {
      const workflow = workflowIn(reader, line.workflowId);
      const task = tasks.get(line.taskId ?? '');
      // It may have been deleted since.
      if (!workflow || (line.taskId !== null && !task)) return [];
      return { ...line, workflow, task, keyName: names.get(line.actor.id ?? '') };
    });
    return { lines: shown, hasMore: found.length > MOST_LINES };
  }

  /** False where there is no such line, or no such day to come. */
  async change(reader: InboxReader, line: LineName, deed: LineDeed, timeZone: string): Promise<boolean> {
    const db = this.dataSource.manager;
    const owner = ownerOf(reader);
    if (deed.does !== 'snooze')
      return changeLine(db, owner, line, { isRead: deed.does !== 'unread', isDone: deed.does === 'done' });
    const [clock] = await sql<{ now: Date }>(db, readNow, []);
    const until = clock && snoozedUntil(deed.until, timeZone, clock.now);
    return until !== undefined && changeLine(db, owner, line, { isRead: false, snoozedUntil: until });
  }

  /** Notes that somebody has opened a task; says whether they had been told of anything that they had not read. */
  readTask({ workspace, userId }: InboxReader, task: InboxTask): Promise<boolean> {
    return readTaskNotices(this.dataSource.manager, { workspaceId: workspace.id, userId }, task);
  }

  /** Whether they were told of anything of a task that they have not read. */
  hasUnreadOf({ workspace, userId }: InboxReader, task: InboxTask): Promise<boolean> {
    return hasUnreadOfTask(this.dataSource.manager, { workspaceId: workspace.id, userId }, task);
  }

  private async tasksOf(
    reader: InboxReader,
    lines: readonly InboxLine[],
    titleFieldOf: (workflow: Workflow) => string | undefined,
  ): Promise<ReadonlyMap<string, TaskRow>> {
    const workflowIds = new Set(lines.map(({ workflowId }) => workflowId));
    const found = await Promise.all(
      Array.from(workflowIds, (workflowId) => {
        const some = lines.filter((line) => line.workflowId === workflowId);
        const workflow = workflowIn(reader, workflowId);
        const title = workflow && titleFieldOf(workflow);
        return findTasksOfIds(
          this.dataSource.manager,
          { workspaceId: reader.workspace.id, workflowId },
          some.flatMap(({ taskId }) => taskId ?? []),
          title === undefined ? [] : [title],
        );
      }),
    );
    return new Map(found.flat().map((task) => [task.id, task]));
  }
}

const MOST_LINES = 50;

const readNow = {
  name: 'read-service-clock',
  scope: 'all workspaces' as const,
  text: 'SELECT service_now() AS now',
};

function ownerOf({ workspace, userId }: InboxReader): InboxOwner {
  return { workspaceId: workspace.id, userId, sight: workspace.permissions.sightOf(userId) };
}

function workflowIn({ workspace }: InboxReader, id: number): Workflow | undefined {
  return [...workspace.workflows.values()].find((workflow) => workflow.id === id);
}

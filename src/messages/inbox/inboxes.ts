import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type NotificationReason } from '../../common/column-values.js';
import { sql } from '../../common/database/sql.js';
import { type TaskRow } from '../../tasks/store/task-row.js';
import { findWorkflow, type Workflow, type Workspace } from '../../workflows/model/workspace.js';
import {
  changeLine,
  finishLines,
  type InboxLine,
  type InboxOwner,
  type InboxPlace,
  inboxValues,
  readInbox,
  readInboxState,
  readTaskNotices,
} from './inbox.repository.js';
import { subjectsOf } from './notice-subjects.js';

export interface InboxReader {
  readonly workspace: Workspace;
  readonly userId: string;
}

export interface ShownLine extends InboxLine {
  readonly workflow: Workflow;
  readonly task: TaskRow;
  readonly keyName: string | undefined;
}

export interface InboxStretch {
  readonly lines: readonly ShownLine[];
  readonly hasMore: boolean;
}

export const lineOperations = ['done', 'read', 'unread'] as const;
export type LineOperation = (typeof lineOperations)[number];

@Injectable()
export class Inboxes {
  private readonly db: EntityManager;

  constructor({ manager }: DataSource) {
    this.db = manager;
  }

  async state(reader: InboxReader): Promise<InboxState> {
    const [row] = await sql<InboxState>(this.db, readInboxState, inboxValues(ownerOf(reader)));
    return row ?? { unread: 0, mark: '', position: 0 };
  }

  /** Returns a page of the inbox, newest line first. Of a task's values, reads only the title. */
  async page(reader: InboxReader, { after, reason }: InboxPlace): Promise<InboxStretch> {
    const { workspace } = reader;
    const values = [...inboxValues(ownerOf(reader)), after?.at, after?.taskId, MOST_LINES + 1, reason];
    const found = await sql<InboxLine>(this.db, readInbox, values);
    const lines = found.slice(0, MOST_LINES);
    const { tasks, keyNames } = await subjectsOf(this.db, workspace, lines);
    const shown = lines.flatMap((line) => {
      const workflow = findWorkflow(workspace, line.workflowId);
      const task = tasks.get(line.taskId)?.task;
      // The workflow or the task may have been deleted.
      if (!workflow || !task) return [];
      return { ...line, workflow, task, keyName: keyNames.get(line.actor.id ?? '') };
    });
    return { lines: shown, hasMore: found.length > MOST_LINES };
  }

  /** Changes a line, or only its notifications with `reason`. Returns false if no notification was found. */
  async change(
    { workspace, userId }: InboxReader,
    { workflowId, publicId }: InboxTask,
    operation: LineOperation,
    reason: NotificationReason | undefined,
  ): Promise<boolean> {
    const values = [workspace.id, userId, workflowId, publicId];
    const marks = [operation !== 'unread', operation === 'done'];
    return (await sql(this.db, changeLine, [...values, ...marks, reason])).length > 0;
  }

  /** Marks lines as done if they have no event after `until`. With `reason`, considers only this reason. */
  async finish(reader: InboxReader, reason: NotificationReason | undefined, until: Date): Promise<void> {
    await sql(this.db, finishLines, [...inboxValues(ownerOf(reader)), until, reason]);
  }

  /** Marks the notifications of an opened task as read; returns whether any of them was unread. */
  async readTask({ workspace, userId }: InboxReader, task: InboxTask): Promise<boolean> {
    const values = [workspace.id, userId, task.workflowId, task.publicId];
    return (await sql(this.db, readTaskNotices, values)).length > 0;
  }
}

const MOST_LINES = 50;

function ownerOf({ workspace, userId }: InboxReader): InboxOwner {
  return { workspaceId: workspace.id, userId, sight: workspace.permissions.sightOf(userId) };
}

export interface InboxState {
  /** The number of unread lines, counted among the newest 5,000 unread notifications. */
  readonly unread: number;
  /** The number of unread notifications, up to 200, and the place of the newest one, as one text. */
  readonly mark: string;
  /** The last position in the event feed of the workspace when the state was read. */
  readonly position: number;
}

export interface InboxTask {
  readonly workflowId: number;
  /** The id in the Task URL. */
  readonly publicId: string;
}

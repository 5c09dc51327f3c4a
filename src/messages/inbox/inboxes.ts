import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type NotificationReason } from '../../common/column-values.js';
import { sql } from '../../common/database/sql.js';
import { serviceTime } from '../../common/database/shared-data-source.js';
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
import { type InboxState, type InboxTask, type LineName } from './inbox.js';
import { DAY, dayAt, HOUR, instantOf, zoneOf } from '../../workflows/time/zone.js';
import { startOfDay } from '../../common/calendar.js';

export interface InboxReader {
  readonly workspace: Workspace;
  readonly userId: string;
}

export interface ShownLine extends InboxLine {
  readonly workflow: Workflow;
  /** Undefined if the line is about many tasks. */
  readonly task: TaskRow | undefined;
  readonly keyName: string | undefined;
}

export interface InboxStretch {
  readonly lines: readonly ShownLine[];
  readonly hasMore: boolean;
}

/** What a person does with a line; `until` is a day, `tomorrow` or `monday`. */
export type LineOperation =
  { readonly does: 'done' | 'read' | 'unread' } | { readonly does: 'snooze'; readonly until: string };

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

  /** The lines, newest first, with the title field of each task. */
  async page(reader: InboxReader, { after, reason }: InboxPlace): Promise<InboxStretch> {
    const { workspace } = reader;
    const values = [...inboxValues(ownerOf(reader)), after?.at, after?.line, MOST_LINES + 1, reason];
    const found = await sql<InboxLine>(this.db, readInbox, values);
    const lines = found.slice(0, MOST_LINES);
    const { tasks, keyNames } = await subjectsOf(this.db, workspace, lines);
    const shown = lines.flatMap((line) => {
      const workflow = findWorkflow(workspace, line.workflowId);
      const task = tasks.get(line.taskId ?? '')?.task;
      // The workflow or the task may have been deleted.
      if (!workflow || (line.taskId !== null && !task)) return [];
      return { ...line, workflow, task, keyName: keyNames.get(line.actor.id ?? '') };
    });
    return { lines: shown, hasMore: found.length > MOST_LINES };
  }

  /** Changes a line. Returns false if the line does not exist, or the day is not in the future. */
  async change(
    { workspace, userId }: InboxReader,
    line: LineName,
    operation: LineOperation,
    timeZone: string,
  ): Promise<boolean> {
    const { does } = operation;
    const until =
      operation.does === 'snooze' ? snoozedUntil(operation.until, timeZone, serviceTime(this.db)) : null;
    if (until === undefined) return false;
    const named = 'requestId' in line ? [null, null, line.requestId] : [line.workflowId, line.publicId, null];
    const marks = [does === 'read' || does === 'done', does === 'done', until];
    return (await sql(this.db, changeLine, [workspace.id, userId, ...named, ...marks])).length > 0;
  }

  /** Marks as done all lines, or those of a reason, that had arrived at that time. */
  async finish(reader: InboxReader, reason: NotificationReason | undefined, until: Date): Promise<void> {
    await sql(this.db, finishLines, [...inboxValues(ownerOf(reader)), until, reason]);
  }

  /** Records that a user opened a task; returns whether they had unread notifications about it. */
  async readTask({ workspace, userId }: InboxReader, task: InboxTask): Promise<boolean> {
    const values = [workspace.id, userId, task.workflowId, task.publicId];
    return (await sql(this.db, readTaskNotices, values)).length > 0;
  }
}

const MOST_LINES = 50;

function ownerOf({ workspace, userId }: InboxReader): InboxOwner {
  return { workspaceId: workspace.id, userId, sight: workspace.permissions.sightOf(userId) };
}

/** When a snooze until tomorrow, Monday or a day ends: at 08:00. Undefined if the text is no day in the future. */
export function snoozedUntil(until: string, timeZone: string, now: Date): Date | undefined {
  const zone = zoneOf(timeZone);
  const today = dayAt(zone, now.getTime());
  const day = dayOf(until, today);
  if (day === undefined || day <= today || day > today + MOST_DAYS) return undefined;
  return new Date(instantOf(zone, day * DAY + 8 * HOUR));
}

const MOST_DAYS = 3660;

function dayOf(until: string, today: number): number | undefined {
  if (until === 'tomorrow') return today + 1;
  // Day 0 was a Thursday.
  if (until === 'monday') return today + 7 - ((today + 3) % 7);
  const start = startOfDay(until);
  return start && start.getTime() / DAY;
}

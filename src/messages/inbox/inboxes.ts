import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type NotificationReason } from '../../common/column-values.js';
import { serviceTime } from '../../common/database/shared-data-source.js';
import { type TaskRow } from '../../tasks/store/task-row.js';
import { findWorkflow, type Workflow, type Workspace } from '../../workflows/model/workspace.js';
import {
  changeLine,
  finishLines,
  hasUnreadOfTask,
  type InboxLine,
  type InboxOwner,
  type InboxPlace,
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
export type LineDeed =
  { readonly does: 'done' | 'read' | 'unread' } | { readonly does: 'snooze'; readonly until: string };

@Injectable()
export class Inboxes {
  constructor(private readonly dataSource: DataSource) {}

  state(reader: InboxReader): Promise<InboxState> {
    return readInboxState(this.dataSource.manager, ownerOf(reader));
  }

  /** The lines, newest first, with the title field of each task. */
  async page({ workspace, userId }: InboxReader, place: InboxPlace): Promise<InboxStretch> {
    const db = this.dataSource.manager;
    const found = await readInbox(db, ownerOf({ workspace, userId }), place, MOST_LINES + 1);
    const lines = found.slice(0, MOST_LINES);
    const { tasks, keyNames } = await subjectsOf(db, workspace, lines);
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
  async change(reader: InboxReader, line: LineName, deed: LineDeed, timeZone: string): Promise<boolean> {
    const db = this.dataSource.manager;
    const owner = ownerOf(reader);
    if (deed.does !== 'snooze')
      return changeLine(db, owner, line, { isRead: deed.does !== 'unread', isDone: deed.does === 'done' });
    const until = snoozedUntil(deed.until, timeZone, serviceTime(db));
    return until !== undefined && changeLine(db, owner, line, { isRead: false, snoozedUntil: until });
  }

  /** Marks as done all lines, or those of a reason, that had arrived at that time. */
  finish(reader: InboxReader, reason: NotificationReason | undefined, until: Date): Promise<void> {
    return finishLines(this.dataSource.manager, ownerOf(reader), { reason, until });
  }

  /** Records that a user opened a task; returns whether they had unread notifications about it. */
  readTask({ workspace, userId }: InboxReader, task: InboxTask): Promise<boolean> {
    return readTaskNotices(this.dataSource.manager, { workspaceId: workspace.id, userId }, task);
  }

  hasUnreadOf({ workspace, userId }: InboxReader, task: InboxTask): Promise<boolean> {
    return hasUnreadOfTask(this.dataSource.manager, { workspaceId: workspace.id, userId }, task);
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

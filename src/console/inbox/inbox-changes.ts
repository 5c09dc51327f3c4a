import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Waiters } from '../../../packages/fair/waiters.js';
import { readInboxMarks } from '../../notifications/inbox.repository.js';
import { type Recipient } from '../../notifications/preferences.js';

/** An inbox as an open page knows it. */
interface KnownInbox extends Recipient {
  readonly mark: string;
}

/** Tells open pages that the inbox of their reader has changed: one look a second for all pages of a workspace. */
@Injectable()
export class InboxChanges implements BeforeApplicationShutdown {
  private readonly waiters = new Waiters<KnownInbox>(LOOK_MS, (all) => this.look(all));

  constructor(private readonly dataSource: DataSource) {}

  /** Whether the inbox changes before the signal comes. */
  async wait(known: KnownInbox, ms: number, signal: AbortSignal): Promise<boolean> {
    await this.waiters.wait(known, ms, signal);
    if (signal.aborted || this.waiters.isStopping) return false;
    const marks = await readInboxMarks(this.dataSource.manager, known.workspaceId, [known.userId]);
    return marks.get(known.userId) !== known.mark;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.waiters.stop();
  }

  private async look(all: readonly KnownInbox[]): Promise<(known: KnownInbox) => boolean> {
    const workspaceIds = [...new Set(all.map(({ workspaceId }) => workspaceId))];
    const marks = await Promise.all(
      workspaceIds.map(async (id) => {
        const users = all.filter(({ workspaceId }) => workspaceId === id).map(({ userId }) => userId);
        return [id, await readInboxMarks(this.dataSource.manager, id, [...new Set(users)])] as const;
      }),
    );
    const byWorkspace = new Map(marks);
    return ({ workspaceId, userId, mark }) => byWorkspace.get(workspaceId)?.get(userId) !== mark;
  }
}

const LOOK_MS = 1000;

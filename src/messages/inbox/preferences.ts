import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type UserKey } from '../../access/sessions.js';
import { timezoneFault } from '../../workflows/time/zone.js';
import { sql } from '../../common/database/sql.js';
import { notificationChannels, notificationReasons, type WatchState } from '../../common/column-values.js';
import { type NotificationChoices } from '../../workflows/model/entities/user.entity.js';
import { type TaskKey } from '../../tasks/store/task-keys.js';
import { noteDeliverable } from './mail/delivery.repository.js';

export interface OwnPreferences {
  readonly choices: NotificationChoices;
  readonly undeliverableSince: Date | null;
}

/** The choices of people: for which reasons and where they are notified, and whether single keys are shortcuts. */
@Injectable()
export class Preferences {
  constructor(private readonly dataSource: DataSource) {}

  async of({ workspaceId, userId }: UserKey): Promise<OwnPreferences> {
    const [row] = await sql<OwnPreferences>(this.dataSource.manager, readOwn, [workspaceId, userId]);
    return row ?? { choices: {}, undeliverableSince: null };
  }

  async ofAll(
    workspaceId: number,
  ): Promise<readonly { readonly userId: string; readonly choices: NotificationChoices }[]> {
    return sql(this.dataSource.manager, readAll, [workspaceId]);
  }

  /** Stores the choices of a form by reason, in place of all earlier ones. An invalid channel counts as no choice. */
  async choose({ workspaceId, userId }: UserKey, chosen: (reason: string) => string | null): Promise<void> {
    const choices = notificationReasons.flatMap((reason) => {
      const channel = notificationChannels.find((each) => each === chosen(reason));
      return channel ? [[reason, channel] as const] : [];
    });
    const values = [workspaceId, userId, JSON.stringify(Object.fromEntries(choices))];
    await sql(this.dataSource.manager, writeChoices, values);
  }

  /** Stores the time zone of a user's browser; an invalid time zone is ignored. */
  async noteBrowser({ workspaceId, userId }: UserKey, timeZone: string): Promise<void> {
    if (timeZone.length > 64 || timezoneFault(timeZone) !== undefined) return;
    await sql(this.dataSource.manager, noteZone, [workspaceId, userId, timeZone]);
  }

  async setShortcuts({ workspaceId, userId }: UserKey, areOn: boolean): Promise<void> {
    await sql(this.dataSource.manager, writeShortcuts, [workspaceId, userId, areOn]);
  }

  async noteDeliverable(user: UserKey): Promise<void> {
    await noteDeliverable(this.dataSource.manager, user);
  }

  /** Whether a user watches a task; undefined if they have neither taken part in it nor chosen. */
  async watchState({ workspaceId, taskId }: TaskKey, userId: string): Promise<WatchState | undefined> {
    const values = [workspaceId, taskId, userId];
    const [row] = await sql<{ state: WatchState }>(this.dataSource.manager, readWatch, values);
    return row?.state;
  }

  async watch(
    { workspaceId, workflowId, taskId }: TaskKey,
    userId: string,
    state: WatchState,
  ): Promise<void> {
    await sql(this.dataSource.manager, writeWatch, [workspaceId, workflowId, taskId, userId, state]);
  }
}

const readOwn = {
  name: 'read-own-choices',
  text: `
    SELECT notification_choices AS choices, undeliverable_at AS "undeliverableSince" FROM users
    WHERE workspace_id = $1 AND id = $2`,
};

const readAll = {
  name: 'read-choices-of-all',
  text: 'SELECT id AS "userId", notification_choices AS choices FROM users WHERE workspace_id = $1',
};

const writeChoices = {
  name: 'replace-choices',
  text: 'UPDATE users SET notification_choices = $3::json WHERE workspace_id = $1 AND id = $2',
};

const noteZone = {
  name: 'note-browser',
  text: 'UPDATE users SET time_zone = $3 WHERE workspace_id = $1 AND id = $2',
};

const writeShortcuts = {
  name: 'set-shortcuts',
  text: 'UPDATE users SET shortcuts = $3 WHERE workspace_id = $1 AND id = $2',
};

const readWatch = {
  name: 'read-watch-state',
  text: 'SELECT state FROM watchers WHERE workspace_id = $1 AND task_id = $2 AND user_id = $3',
};

const writeWatch = {
  name: 'set-watch-state',
  text: `
    INSERT INTO watchers (workspace_id, workflow_id, task_id, user_id, state)
    SELECT $1, $2, t.id, $4, $5 FROM tasks t WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.id = $3::bigint
    ON CONFLICT (workspace_id, task_id, user_id) DO UPDATE SET state = EXCLUDED.state`,
};

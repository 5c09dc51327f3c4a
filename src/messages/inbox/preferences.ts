import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type UserKey } from '../../access/sessions.js';
import { timezoneFault } from '../../workflows/time/zone.js';
import { type MailChoice, type WatchState } from '../../common/column-values.js';
import { UserEntity } from '../../workflows/model/entities/user.entity.js';
import { type TaskKey } from '../../tasks/store/task-keys.js';
import { sql } from '../../common/database/sql.js';
import { WatcherEntity } from './notification.entity.js';

/** The choices of users: which mail they get, and which tasks they watch. */
@Injectable()
export class Preferences {
  private readonly db: EntityManager;

  constructor({ manager }: DataSource) {
    this.db = manager;
  }

  async mailChoice({ workspaceId, userId: id }: UserKey): Promise<MailChoice | undefined> {
    const select = { id: true, mailChoice: true } as const;
    return (await this.db.findOne(UserEntity, { select, where: { workspaceId, id } }))?.mailChoice;
  }

  async mailChoices(workspaceId: number): Promise<ReadonlyMap<string, MailChoice>> {
    const select = { id: true, mailChoice: true } as const;
    const users = await this.db.find(UserEntity, { select, where: { workspaceId } });
    return new Map(users.map(({ id, mailChoice }) => [id, mailChoice]));
  }

  /** Stores which letters a user wants. */
  async chooseMail({ workspaceId, userId: id }: UserKey, mailChoice: MailChoice): Promise<void> {
    await this.db.update(UserEntity, { workspaceId, id }, { mailChoice });
  }

  /** Stores the time zone of a user's browser; an invalid time zone is ignored. */
  async noteBrowser({ workspaceId, userId: id }: UserKey, timeZone: string): Promise<void> {
    if (timeZone.length <= 64 && timezoneFault(timeZone) === undefined)
      await this.db.update(UserEntity, { workspaceId, id }, { timeZone });
  }

  /** How a user watches a task; undefined if no watch state is stored. */
  async watchState({ workspaceId, taskId }: TaskKey, userId: string): Promise<WatchState | undefined> {
    return (await this.db.findOneBy(WatcherEntity, { workspaceId, taskId, userId }))?.state;
  }

  async watch(
    { workspaceId, workflowId, taskId }: TaskKey,
    userId: string,
    state: WatchState,
  ): Promise<void> {
    await sql(this.db, writeWatch, [workspaceId, workflowId, taskId, userId, state]);
  }
}

const writeWatch = {
  name: 'set-watch-state',
  text: `
    INSERT INTO watchers (workspace_id, workflow_id, task_id, user_id, state)
    SELECT $1, $2, t.id, $4, $5 FROM tasks t WHERE t.workspace_id = $1 AND t.workflow_id = $2 AND t.id = $3::bigint
    ON CONFLICT (workspace_id, task_id, user_id) DO UPDATE SET state = EXCLUDED.state`,
};

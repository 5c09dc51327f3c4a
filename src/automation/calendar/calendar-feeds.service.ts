import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { hashOfToken, newSecretToken, workspaceOfToken } from '../../access/secret-token.js';
import { type UserKey } from '../../access/sessions.js';
import { notFound } from '../../common/errors.js';
import { publicAddress, taskUrlOf, urlOfTask } from '../../common/public-address.js';
import { CONFIG, type Config } from '../../config.js';
import { type AssignedTask, assignedTasks } from '../../tasks/store/open-tasks.js';
import { titleOf } from '../../workflows/fields/task-title.js';
import { Scope } from '../../workflows/model/scope.js';
import { UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { findWorkflow } from '../../workflows/model/workspace.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import { CalendarFeedEntity } from './calendar-feed.entity.js';
import { iCalendar } from './icalendar.js';

@Injectable()
export class CalendarFeeds {
  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
    private readonly work: UnitOfWork,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Makes or replaces the address of a user's calendar. */
  async make({ workspaceId, userId }: UserKey): Promise<string> {
    const token = newSecretToken(workspaceId);
    const feed = { workspaceId, userId, hash: hashOfToken(token) };
    await this.dataSource.manager.upsert(CalendarFeedEntity, feed, ['workspaceId', 'userId']);
    return `${publicAddress(this.config)}/calendar/${token}.ics`;
  }

  async remove({ workspaceId, userId }: UserKey): Promise<void> {
    await this.dataSource.manager.delete(CalendarFeedEntity, { workspaceId, userId });
  }

  /** Whether the user's calendar has an address. */
  async isMade({ workspaceId, userId }: UserKey): Promise<boolean> {
    return this.dataSource.manager.existsBy(CalendarFeedEntity, { workspaceId, userId });
  }

  /** Returns the calendar of a token. Throws 404 if the token has no calendar, or the user is not active. */
  async read(token: string): Promise<string> {
    const workspaceId = workspaceOfToken(token);
    if (workspaceId === undefined) throw notFound();
    const at = { workspaceId, hash: hashOfToken(token) };
    const user = await this.dataSource.manager.findOneBy(CalendarFeedEntity, at);
    const workspace = user && (await this.workspaces.get(workspaceId));
    if (!user || workspace?.users.get(user.userId)?.active !== true) throw notFound();
    const [first] = workspace.workflows.values();
    const tasks = first ? await this.work.read(new Scope(first), (db) => this.tasksOf(user, db)) : [];
    const entries = tasks.flatMap((task) => {
      const { publicId, changedAt, dueAt } = task;
      const workflow = findWorkflow(workspace, task.workflowId);
      if (!workflow || !dueAt) return [];
      const uid = `${publicId}-due@${new URL(publicAddress(this.config)).hostname}`;
      const url = urlOfTask(taskUrlOf(this.config), workflow.slug, publicId);
      const summary = `${titleOf(workflow, task)}: due`;
      return { uid, summary, url, at: dueAt, changedAt: new Date(changedAt) };
    });
    return iCalendar(workspace.name, entries);
  }
  private async tasksOf({ workspaceId, userId }: UserKey, db: EntityManager): Promise<AssignedTask[]> {
    const workspace = await this.workspaces.get(workspaceId);
    const { whole, assigned } = workspace.permissions.sightOf(userId);
    return assignedTasks(db, workspace, [...whole, ...assigned], 'UTC', userId);
  }
}

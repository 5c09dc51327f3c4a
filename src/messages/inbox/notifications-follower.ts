import { mailsPeople } from '../../common/outbox.js';
import { type WatchState } from '../../common/column-values.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { type Follower, type FollowerTurn } from '../../events/follower.js';
import { sourceOf } from '../../common/origin.js';
import { sees } from '../../workflows/model/allowed.js';
import { knownIn, knownTo } from '../../workflows/model/known.js';
import {
  addNotifications,
  addWatchers,
  forgetTasks,
  type NewNotification,
  type NewWatcher,
  readWatched,
} from './follow.repository.js';
import { openWindows } from './mail/mail-windows.repository.js';
import { type Happened, reasons } from './reasons.js';
import {
  actorOfNotification,
  channelFor,
  doerOf,
  type Listeners,
  newWatchers,
  type Told,
  whoIsTold,
} from './tell.js';

/** Notifies people of events that concern them, and adds watchers to tasks. */
export const notificationsFollower: Follower = {
  name: 'notifications',
  wants: ({ users }) => users.length > 0,
  types: [
    ...new Set([
      ...Object.values(reasons).flatMap(({ types }) => types),
      ...['task.created', 'task.deleted', 'execution.started'],
    ]),
  ],
  async begin(turn, events) {
    const { tx, workspace } = turn;
    const found = await readWatched(tx, workspace.id, events);
    const tasks = Array.from(found, ([id, { assigneeId, watchers }]): [string, NotedTask] => [
      id,
      { assigneeId, watchers: new Map(Object.entries(watchers)) },
    ]);
    const noted = new Map(tasks);
    const notifications: NewNotification[] = [];
    const added: NewWatcher[] = [];
    const gone: string[] = [];
    return {
      follow(event) {
        if (event.type === 'task.deleted' && event.taskId !== null) gone.push(event.taskId);
        const happened = happenedTo(noted, event);
        if (!happened) return;
        const { workflowId, taskId, watchers } = happened;
        for (const told of whoIsTold(happened, listenersOf(turn, happened)))
          notifications.push(notificationOf(turn, happened, told));
        for (const userId of newWatchers(happened).filter((user) => !watchers.has(user))) {
          watchers.set(userId, 'auto');
          added.push({ workflowId, taskId, userId });
        }
      },
      async end() {
        await addWatchers(tx, workspace.id, added);
        await addNotifications(tx, workspace.id, notifications);
        await openWindows(tx, workspace, notifications);
        await forgetTasks(tx, workspace.id, gone);
      },
    };
  },
};

interface NotedTask {
  readonly assigneeId: string | null;
  readonly watchers: Map<string, WatchState>;
}

interface HappenedToTask extends Happened, NotedTask {
  readonly watchers: Map<string, WatchState>;
  readonly workflowId: number;
  readonly taskId: string;
}

/**
 * Returns undefined if the event has no task, or if its task no longer exists. Also returns undefined for a
 * change by a new definition: the plan of the definition has already shown the change.
 */
function happenedTo(tasks: ReadonlyMap<string, NotedTask>, event: RecordedEvent): HappenedToTask | undefined {
  const { workflowId, taskId } = event;
  const source = sourceOf(event.origin);
  const task = tasks.get(taskId ?? '');
  if (workflowId === null || taskId === null || !task || source.definition !== undefined) return undefined;
  return { event, source, doer: doerOf(event, source), workflowId, taskId, ...task };
}

function listenersOf(
  { workspace, config }: FollowerTurn,
  { workflowId, assigneeId }: HappenedToTask,
): Listeners {
  return {
    sees: (userId) => sees(workspace.permissions.permissionsOf(userId, workflowId), userId, { assigneeId }),
    channelOf: (reason) => {
      const channel = channelFor(reason, workspace);
      return channel === 'mail' && !mailsPeople(config) ? 'inbox' : channel;
    },
  };
}

function notificationOf(
  { workspace }: FollowerTurn,
  { event, source, workflowId, taskId }: HappenedToTask,
  { userId, reason, channel }: Told,
): NewNotification {
  return {
    userId,
    eventPlace: event.place,
    workflowId,
    taskId,
    reason,
    actor: actorOfNotification(event, source, knownIn(knownTo(workspace, { userId }))),
    at: event.happenedAt,
    mail: channel === 'inbox' ? 'none' : reason === 'watching' ? 'digest' : 'prompt',
  };
}

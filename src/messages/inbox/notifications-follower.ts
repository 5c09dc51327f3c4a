import { mailsPeople } from '../../common/outbox.js';
import { type EntityManager } from 'typeorm';
import { type WatchState } from '../../common/column-values.js';
import { type NotificationChoices } from '../../workflows/model/entities/user.entity.js';
import { type Follower, type FollowerTurn } from '../../events/follower.js';
import { type EventSource, sourceOf } from '../../common/origin.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { sees } from '../../workflows/model/allowed.js';
import { knownIn, knownTo } from '../../workflows/model/known.js';
import { type Workspace } from '../../workflows/model/workspace.js';
import {
  newWatchers,
  type Listeners,
  type Told,
  whoIsTold,
  channelFor,
  actorOfNotification,
  doerOf,
} from './tell.js';
import {
  addNotifications,
  addWatchers,
  forgetTasks,
  type NewNotification,
  type NewWatcher,
  readWatchedAndChosen,
} from './follow.repository.js';
import { openWindows } from './mail/mail-windows.repository.js';
import { reasonTypes } from './reason-types.js';
import { type Happened } from './reason.js';

/** Notifies people of events that concern them, and makes participants watch their tasks. */
export const notificationsFollower: Follower = {
  name: 'notifications',
  wants: ({ users }) => users.length > 0,
  types: [
    ...new Set([
      ...reasonTypes.flatMap(([, { types }]) => types),
      ...(['task.created', 'task.deleted', 'execution.started'] as const),
    ]),
  ],
  async prepare({ tx, workspace }, events) {
    const ids = new Map(
      events.flatMap(({ taskId, workflowId }) =>
        taskId === null || workflowId === null ? [] : [[taskId, workflowId] as const],
      ),
    );
    const asked = { workflowIds: [...ids.values()], taskIds: [...ids.keys()] };
    const { tasks, choices } = await readWatchedAndChosen(tx, workspace.id, asked);
    const known = tasks.map(({ taskId, assigneeId, watchers }): [string, NotedTask] => [
      taskId,
      { assigneeId, watchers: new Map(Object.entries(watchers)) },
    ]);
    ofTurns.set(tx, {
      tasks: new Map(known),
      choices: new Map(Object.entries(choices)),
      notifications: [],
      watchers: [],
      gone: [],
    });
  },
  follow(turn, event) {
    const { tasks, gone, ...notes } = notesOf(turn);
    const { taskId, workflowId } = event;
    if (taskId === null || workflowId === null) return;
    if (event.type === 'task.deleted') gone.push(taskId);
    const task = tasks.get(taskId);
    const source = sourceOf(event.origin);
    // The plan of an apply shows the changes that it makes, so nobody is notified of them.
    if (!task || source.definition !== undefined) return;
    const happened = { event, source, doer: doerOf(event, source), ...task };
    const place = { event, source, taskId, workflowId, workspace: turn.workspace };
    for (const told of whoIsTold(happened, listenersOf(turn, happened, notes.choices)))
      notes.notifications.push(notificationOf(told, place));
    for (const userId of newWatchers(happened).filter((user) => !task.watchers.has(user))) {
      task.watchers.set(userId, 'auto');
      notes.watchers.push({ workflowId, taskId, userId });
    }
  },
  async finish(turn) {
    const { tx, workspace } = turn;
    const { notifications, watchers, gone } = notesOf(turn);
    await addWatchers(tx, workspace.id, watchers);
    await addNotifications(tx, workspace.id, notifications);
    await openWindows(tx, workspace.id, notifications);
    await forgetTasks(tx, workspace.id, gone);
  },
};

interface NotedTask {
  readonly assigneeId: string | null;
  readonly watchers: Map<string, WatchState>;
}

/** What a turn has read so far, and what it will write at its end. */
interface Notes {
  /** By their ids. Tasks that no longer exist are absent. */
  readonly tasks: ReadonlyMap<string, NotedTask>;
  /** By the ids of users. Users without choices are absent. */
  readonly choices: ReadonlyMap<string, NotificationChoices>;
  readonly notifications: NewNotification[];
  readonly watchers: NewWatcher[];
  readonly gone: string[];
}

function notesOf({ tx }: FollowerTurn): Notes {
  const notes = ofTurns.get(tx);
  if (!notes) throw new Error('a turn of notifications was not prepared');
  return notes;
}

const ofTurns = new WeakMap<EntityManager, Notes>();

function listenersOf(
  { workspace, config }: FollowerTurn,
  { event, assigneeId }: Happened,
  choices: Notes['choices'],
): Listeners {
  return {
    sees: (userId) =>
      sees(workspace.permissions.permissionsOf(userId, event.workflowId ?? 0), userId, { assigneeId }),
    channelOf: (userId, reason) => {
      const channel = channelFor(reason, choices.get(userId) ?? {}, workspace.notifications);
      return channel === 'mail' && !mailsPeople(config) ? 'inbox' : channel;
    },
  };
}

interface ToldEvent {
  readonly event: RecordedEvent;
  readonly source: EventSource;
  readonly taskId: string;
  readonly workflowId: number;
  readonly workspace: Workspace;
}

function notificationOf(
  { userId, reason, channel }: Told,
  { event, source, taskId, workflowId, workspace }: ToldEvent,
): NewNotification {
  return {
    userId,
    eventPlace: event.place,
    workflowId,
    taskId,
    reason,
    actor: actorOfNotification(event, source, knownIn(knownTo(workspace, { userId }))),
    requestId: reason === 'assigned' ? (source.request ?? source.execution ?? null) : null,
    at: event.happenedAt,
    mail: channel === 'mail' ? 'waiting' : 'none',
  };
}

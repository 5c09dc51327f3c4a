import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { timezoneFault } from '../calendars/zone.js';
import { notificationChannels, notificationReasons, type WatchState } from '../entities/column-values.js';
import { type NotificationChoices } from '../entities/user.entity.js';
import { type TaskKey } from '../task-store/task-keys.js';
import { choicesOf, noteBrowser, type Recipient, replaceChoices, setWatchState, watchStateOf } from './preferences.repository.js'; // prettier-ignore

/** The choices of people: what they want to hear of, and where. */
@Injectable()
export class Preferences {
  constructor(private readonly dataSource: DataSource) {}

  choices(user: Recipient): Promise<NotificationChoices> {
    return choicesOf(this.dataSource.manager, user);
  }

  /** Stores the choices of a form by reason; an invalid channel stores no choice. */
  async choose(user: Recipient, chosen: (reason: string) => string | null): Promise<void> {
    const choices = notificationReasons.flatMap((reason) => {
      const channel = notificationChannels.find((each) => each === chosen(reason));
      return channel ? [[reason, channel] as const] : [];
    });
    await replaceChoices(this.dataSource.manager, user, Object.fromEntries(choices));
  }

  /** Stores the time zone of a user's browser; an invalid time zone is ignored. */
  async noteBrowser(user: Recipient, timeZone: string): Promise<void> {
    if (timeZone.length > 64 || timezoneFault(timeZone) !== undefined) return;
    await noteBrowser(this.dataSource.manager, user, timeZone);
  }

  /** Whether a user watches a task; undefined if they neither take part nor have chosen. */
  watchState(task: TaskKey, userId: string): Promise<WatchState | undefined> {
    return watchStateOf(this.dataSource.manager, task, userId);
  }

  watch(task: TaskKey, userId: string, state: WatchState): Promise<void> {
    return setWatchState(this.dataSource.manager, task, userId, state);
  }
}

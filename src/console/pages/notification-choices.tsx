import { type VNode } from 'preact';
import {
  type NotificationChannel,
  type NotificationReason,
  notificationChannels,
  notificationReasons,
} from '../../common/column-values.js';
import { channelFor } from '../../messages/inbox/tell.js';
import { type OwnPreferences } from '../../messages/inbox/preferences.js';
import { Choice } from '../parts/control.js';
import { Form } from '../parts/form.js';
import { useReader } from '../reader.js';

/** Where somebody wants to hear of what; mail is offered where the service sends any. */
export function NotificationSettings({ choices, sendsMail }: NotificationSettingsProps): VNode {
  const reader = useReader();
  const channels = notificationChannels.filter((channel) => sendsMail || channel !== 'mail');
  const shown = (channel: (typeof channels)[number]): (typeof channels)[number] =>
    channel === 'mail' && !sendsMail ? 'inbox' : channel;
  return (
    <section class="column" id="notifications" aria-labelledby="notifications-name">
      <h2 id="notifications-name">Notifications</h2>
      <p>Choose where you are notified.</p>
      <Form action="/account/notifications" class="preferences entry stack gap-3">
        {notificationReasons.map((reason) => {
          const usual = shown(channelFor(reason, {}, reader.workspace.notifications));
          const chosen = choices[reason];
          return (
            <div class="control">
              <label for={`notify-${reason}`}>{reasonNames[reason]}</label>
              <Choice
                id={`notify-${reason}`}
                name={reason}
                options={channels.map((channel) => [channel, channelNames[channel]])}
                chosen={chosen === undefined ? '' : shown(chosen)}
                none={`Default (${channelNames[usual]})`}
              />
            </div>
          );
        })}
        <div class="actions">
          <button type="submit">Save</button>
        </div>
      </Form>
    </section>
  );
}

interface NotificationSettingsProps {
  readonly choices: OwnPreferences['choices'];
  readonly sendsMail: boolean;
}

const reasonNames = {
  mentioned: 'Somebody mentions me',
  assigned: 'Something is assigned to me',
  approval: 'My approval is requested',
  due: 'A deadline of my task is reached',
  failed: 'An action fails on my task, or one that I started',
  watching: 'Anything else on tasks that I watch',
} satisfies Record<NotificationReason, string>;

const channelNames = { mail: 'Inbox and mail', inbox: 'Inbox', off: 'Not at all' } satisfies Record<
  NotificationChannel,
  string
>;

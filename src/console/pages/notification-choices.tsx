import { type VNode } from 'preact';
import { notificationChannels, notificationReasons } from '../../database/column-values.js';
import { channelFor } from '../../notifications/channels.js';
import { type OwnPreferences } from '../../notifications/preferences.js';
import { Choice } from '../parts/control.js';
import { Form } from '../parts/form.js';
import { type SignedIn } from '../reader.js';

/** Where somebody wants to hear of what; mail is offered where the service sends any. */
export function NotificationSettings({ to, choices, sendsMail }: NotificationSettingsProps): VNode {
  const words = to.words.inbox.preferences;
  const channels = notificationChannels.filter((channel) => sendsMail || channel !== 'mail');
  const shown = (channel: (typeof channels)[number]): (typeof channels)[number] =>
    channel === 'mail' && !sendsMail ? 'inbox' : channel;
  return (
    <section class="column" id="notifications" aria-labelledby="notifications-name">
      <h2 id="notifications-name">{words.title}</h2>
      <p>{words.lead}</p>
      <Form action="/account/notifications" class="preferences entry stack gap-3">
        {notificationReasons.map((reason) => {
          const usual = shown(channelFor(reason, {}, to.workspace.notifications));
          const chosen = choices[reason];
          return (
            <div class="control">
              <label for={`notify-${reason}`}>{words.reasons[reason]}</label>
              <Choice
                id={`notify-${reason}`}
                name={reason}
                options={channels.map((channel) => [channel, words.channels[channel]])}
                chosen={chosen === undefined ? '' : shown(chosen)}
                none={words.default(words.channels[usual])}
              />
            </div>
          );
        })}
        <div class="actions">
          <button type="submit">{to.words.save}</button>
        </div>
      </Form>
    </section>
  );
}

interface NotificationSettingsProps {
  readonly to: SignedIn;
  readonly choices: OwnPreferences['choices'];
  readonly sendsMail: boolean;
}

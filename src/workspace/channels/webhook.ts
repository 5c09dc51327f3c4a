import { joinedText } from '../../expressions/filled-text.js';
import { type ChannelType } from '../channel-type.js';

/** Any other system: what takes `{"text"}` as Mattermost, Rocket.Chat and Google Chat do, or a program of one's own. */
export const jsonChannel: ChannelType = {
  description: 'any other system, which is sent `{"text", "task"}`',
  body: (text, task) => ({ text: joinedText(text, defused), task }),
};

/** A zero-width space breaks mentions and links of all these systems, and people see the value as it is. */
function defused(value: string): string {
  return value.replace(/[@<*_~`]|\](?=[([])/g, (sign) => `${sign}\u200b`);
}

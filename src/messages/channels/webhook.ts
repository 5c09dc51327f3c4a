import { joinedText } from '../../workflows/expressions/template.js';
import { type ChannelType } from '../channel-type.js';

/** Any other system that takes `{"text"}`: Mattermost, Rocket.Chat, Google Chat, or a program of one's own. */
export const jsonChannel: ChannelType = {
  description: 'any other system, which receives `{"text", "task"}`',
  body: (text, task) => ({ text: joinedText(text, defused), task }),
};

/** A zero-width space disables mentions and links in all these systems, and people do not see it. */
function defused(value: string): string {
  return value.replace(/[@<*_~`]|\](?=[([])/g, (sign) => `${sign}\u200b`);
}

import { joinedText } from '../../workflows/expressions/template.js';
import { type ChannelType } from '../channel-type.js';

/** Any other system that takes `{"text"}`, as Mattermost, Rocket.Chat and Google Chat do, or a custom program. */
export const jsonChannel: ChannelType = {
  description: 'any other system, which receives `{"text", "task"}`',
  body: (text, task) => ({ text: joinedText(text, defused), task }),
};

/** A zero-width space disables mentions and links in all these systems, and stays invisible to people. */
function defused(value: string): string {
  return value.replace(/[@<*_~`]|\](?=[([])/g, (sign) => `${sign}\u200b`);
}

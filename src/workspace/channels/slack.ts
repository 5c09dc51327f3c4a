import { joinedText } from '../../expressions/filled-text.js';
import { type ChannelType } from '../channel-type.js';

/** An incoming webhook of Slack. The text is its mrkdwn. */
export const slack: ChannelType = {
  description: 'an incoming webhook of Slack',
  body: (text) => ({ text: joinedText(text, escaped) }),
};

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Mentions and links stand between < and >; a zero-width space makes of what else could be markup a plain character. */
function escaped(value: string): string {
  return value
    .replace(/[&<>]/g, (sign) => entities[sign] ?? sign)
    .replace(/[@*_~`]/g, (sign) => `${sign}\u200b`);
}

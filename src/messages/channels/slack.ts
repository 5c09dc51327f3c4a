import { joinedText } from '../../workflows/expressions/template.js';
import { type ChannelType } from '../channel-type.js';

/** An incoming webhook of Slack. The text is its mrkdwn. */
export const slack: ChannelType = {
  description: 'an incoming webhook of Slack',
  body: (text) => ({ text: joinedText(text, escaped) }),
};

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Mentions and links stand between < and >, so these are escaped. A zero-width space disables other markup. */
function escaped(value: string): string {
  return value
    .replace(/[&<>]/g, (sign) => entities[sign] ?? sign)
    .replace(/[@*_~`]/g, (sign) => `${sign}\u200b`);
}

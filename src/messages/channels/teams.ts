import { plainText } from '../../workflows/expressions/template.js';
import { type ChannelType } from '../channel-type.js';

/** A workflow of Teams that posts adaptive cards. Its text runs have no markup, so values are always plain text. */
export const teams: ChannelType = {
  description: 'a workflow of Microsoft Teams that posts cards from a webhook',
  body: (text, { url }) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: plainText(text)
            .split(/\r?\n/)
            .map((line) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: line || ' ' }] })),
          actions: [{ type: 'Action.OpenUrl', title: 'Open the task', url }],
        },
      },
    ],
  }),
};

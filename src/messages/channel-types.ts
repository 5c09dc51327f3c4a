import { type FilledText, joinedText, plainText } from '../workflows/expressions/template.js';

interface ChannelType {
  readonly description: string;
  /** Builds the JSON to post. The filled-in values must not become mentions, links or markup. */
  body(text: FilledText, task: { readonly unique_id: string | null; readonly url: string }): object;
}

export const channelTypes: ReadonlyMap<string, ChannelType> = new Map([
  [
    'slack',
    {
      description: 'an incoming webhook of Slack',
      // Slack encloses mentions and links in < and >, so these signs are escaped in values. A
      // zero-width space disables other markup.
      body: (text) => ({
        text: joinedText(text, (value) =>
          value
            .replace(/[&<>]/g, (sign) => `&${entities[sign] ?? ''};`)
            .replace(/[@*_~`]/g, (sign) => `${sign}\u200b`),
        ),
      }),
    },
  ],
  [
    'teams',
    {
      description: 'a workflow of Microsoft Teams that posts cards from a webhook',
      // A TextRun renders no markup, so values stay plain text.
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
                .map((line) => ({
                  type: 'RichTextBlock',
                  inlines: [{ type: 'TextRun', text: line || ' ' }],
                })),
              actions: [{ type: 'Action.OpenUrl', title: 'Open the task', url }],
            },
          },
        ],
      }),
    },
  ],
  [
    'webhook',
    {
      description: 'any other system, which receives `{"text", "task"}`',
      // A zero-width space disables mentions, links and markup in Mattermost, Rocket.Chat and Google Chat.
      body: (text, task) => ({
        text: joinedText(text, (value) => value.replace(/[@<*_~`]|\](?=[([])/g, (sign) => `${sign}\u200b`)),
        task,
      }),
    },
  ],
] satisfies [string, ChannelType][]);

const entities: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt' };

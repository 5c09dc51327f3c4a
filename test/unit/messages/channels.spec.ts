import { plainText } from '../../../src/workflows/expressions/template.js';
import { channelTypes } from '../../../src/messages/channel-types.js';

const task = { unique_id: 'T-1', url: 'https://acme.test/t' };
const body = (type: string, value: string): unknown =>
  channelTypes.get(type)?.body(['*Case* ', { value }], task);
const zero = '\u200b';

// Rule (time.md 5): markup of values defused (`<!channel>`, `@everyone`).
describe('a post', () => {
  it('makes no mention and no link of a value', () => {
    expect(body('slack', '<!channel> @everyone <https://evil.test|x> & *b*')).toEqual({
      text: `*Case* &lt;!channel&gt; @${zero}everyone &lt;https://evil.test|x&gt; &amp; *${zero}b*${zero}`,
    });
    expect(body('webhook', '<!channel> @everyone [x](https://evil.test)')).toEqual({
      text: `*Case* <${zero}!channel> @${zero}everyone [x]${zero}(https://evil.test)`,
      task,
    });
  });

  it('to Teams is a card whose texts are not markup', () => {
    const value = '<at>everyone</at>\n**b** [x](https://evil.test)';
    expect(body('teams', value)).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            type: 'AdaptiveCard',
            body: plainText(['*Case* ', { value }])
              .split('\n')
              .map((text) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] })),
            actions: [{ type: 'Action.OpenUrl', url: task.url }],
          },
        },
      ],
    });
  });
});

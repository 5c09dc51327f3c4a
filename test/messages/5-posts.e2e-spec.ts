import { answerWith } from '../support/receiver.js';
import { post, type Sending, startSending } from './sending.js';

let at: Sending;
beforeAll(async () => {
  at = await startSending({
    slack: [post('to-slack')],
    teams: [post('to-teams')],
    webhook: [post('to-webhook')],
  });
});
afterAll(() => at.stop());

const bodyOf = async (path: string): Promise<unknown> => {
  const [call] = await at.receiver.called(path);
  return JSON.parse(call?.body ?? 'null');
};

// Rule (time.md 5): through the guarded client; markup of values defused.
describe('post_message', () => {
  it('posts to Slack, at a URL with a secret that shows nowhere', async () => {
    await at.perform('slack', 'P-1', { Title: '<!channel> & @everyone' });
    expect(await at.ended('P-1')).toMatchObject([
      { kind: 'post', to: 'to-slack', subject: null, state: 'sent', cause: null, tries: 1 },
    ]);
    expect(await bodyOf('/slack/planted-secret')).toEqual({
      text: 'Case *P-1*: &lt;!channel&gt; &amp; @\u200beveryone',
    });
    expect(JSON.stringify(await at.messages('P-1'))).not.toContain('planted');
  });

  it('posts a card to Teams, and text and task to any other system', async () => {
    await at.perform('teams', 'P-2', { Title: 'x' });
    await at.perform('webhook', 'P-3', { Title: 'x' });
    const [message] = await at.ended('P-3');
    expect(await bodyOf('/teams')).toMatchObject({ type: 'message' });
    expect(await bodyOf('/webhook')).toEqual({ text: 'Case *P-3*: x', task: message?.task });
  });

  it('tries again after 429 and 5xx under the same key, and not after another 4xx', async () => {
    at.receiver.answer('/webhook', (response, call, earlier) => {
      answerWith(earlier === 1 ? 503 : earlier === 2 ? 200 : 404)(response, call, earlier);
    });
    await at.perform('webhook', 'P-4', { Title: 'x' });
    expect(await at.ended('P-4')).toMatchObject([{ state: 'queued', tries: 1 }]);
    expect(await at.ended('P-4', 80_000)).toMatchObject([{ state: 'sent', tries: 2 }]);
    const keys = at.receiver
      .of('/webhook')
      .slice(1, 3)
      .map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
    await at.perform('webhook', 'P-5', { Title: 'x' });
    expect(await at.ended('P-5')).toMatchObject([
      { state: 'failed', cause: 'was answered with status 404', tries: 1 },
    ]);
  });
});

import { signIn, texts } from '../support/console.js';
import { mail, startSending } from '../messages/sending.js';

const at = await startSending({ tell: [mail()] });
afterAll(() => at.stop());
const lead = await signIn(at.service, 'p0@acme.test');

describe('the page of messages', () => {
  it('shows administrators what failed and why, and sends it again', async () => {
    at.mails.behave('ada@other.test', 'rcpt', 550);
    await at.perform('tell', 'M-1', { Contact: 'ada@other.test', Title: '<b>x</b>' });
    await at.service.settle();
    const page = await lead.get('/admin/messages');
    expect(texts(page, '.rows li')).toEqual([
      expect.stringMatching(
        /^Failed Case M-1: <b>x<\/b> ada@other\.test · M-1 the mail server refused it with status 550 .* Send again$/,
      ),
    ]);
    at.mails.behave('ada@other.test', 'rcpt', undefined);
    const retry = page.attributeOf('form[action$="/retry"]', 'action');
    const { status, headers } = await lead.post(retry);
    expect([status, headers['location']]).toEqual([303, '/admin/messages?done=send']);
    await at.service.settle();
    expect(at.mails.letters.map(({ to }) => to)).toContain('ada@other.test');
    expect(texts(await lead.get('/admin/messages?state=sent'), '.rows li')).toHaveLength(1);
    const again = await lead.post(retry);
    expect([again.status, again.textOf('.notice.bad')]).toEqual([409, 'This message has already been sent.']);
    expect((await lead.post('/admin/messages/none/retry')).status).toBe(404);
  });

  it('has its failures in the history of the task', async () => {
    at.mails.behave('bob@other.test', 'rcpt', 550);
    await at.perform('tell', 'M-2', { Contact: 'bob@other.test' });
    await at.service.settle();
    const [message] = await at.messages('M-2');
    const { pathname } = new URL(message?.task.url ?? '');
    const history = texts(await lead.get(pathname), 'ol li').join('\n');
    expect(history).toMatch(
      /API \(test\) could not send a message of Do tell to bob@other\.test .*the mail server refused it with status 550/s,
    );
  });
});

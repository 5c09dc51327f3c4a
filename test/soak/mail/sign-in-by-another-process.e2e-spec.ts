import { cookieOf, openBrowser } from '../../support/console.js';
import { startOtherProcess } from '../../support/other-process.js';
import { startService } from '../../support/service.js';
import { startMailServer } from '../../messages/mail-server.js';

it('signs in by mail through any process: one takes the code that another sent', async () => {
  const mails = await startMailServer();
  const mail = {
    WTS_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    WTS_MAIL_FROM: 'wts@acme.test',
  };
  const service = await startService(mail);
  await service.apply('{ workspace: { id: acme, name: Acme }, users: [{ email: mina@acme.test }] }');
  const other = await startOtherProcess(service.config.databaseUrl ?? '', mail);
  try {
    const asked = await fetch(`${other.url}/sign-in/mail`, {
      method: 'POST',
      headers: { 'Sec-Fetch-Site': 'same-origin' },
      body: new URLSearchParams({ email: 'mina@acme.test' }),
      redirect: 'manual',
    });
    const browser = openBrowser(service);
    browser.cookie = cookieOf({ 'set-cookie': asked.headers.get('set-cookie') ?? '' });
    const [letter] = await mails.lettersTo('mina@acme.test');
    const code = /^\d{6}$/m.exec(letter?.parts.get('text/plain') ?? '')?.[0] ?? '';
    expect((await browser.post('/sign-in/code', { code })).status).toBe(303);
  } finally {
    await other.stop();
    await service.stop();
    await mails.stop();
  }
});

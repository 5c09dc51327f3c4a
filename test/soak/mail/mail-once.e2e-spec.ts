import { acme, tickets } from '../../mail/mailing.js';
import { startMailServer } from '../../messages/mail-server.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { startService } from '../../support/service.js';
import { testOptions } from '../../support/test-options.js';
import { until } from '../../support/until.js';

it('a letter that the mail server had when its worker was killed is not sent again', async () => {
  const mails = await startMailServer();
  const mail = { WTS_SMTP_URL: `smtp://127.0.0.1:${mails.port}`, WTS_MAIL_FROM: 'wts@acme.test' };
  const service = await startService({ ...mail, WTS_ROLE: 'api' });
  const api = await service.clientOf(acme());
  const startWorker = (): Promise<OtherProcess> => {
    const settings = { ...mail, WTS_ROLE: 'worker', ...testOptions({ leaseMs: 1000 }) };
    return startOtherProcess(service.config.databaseUrl ?? '', settings);
  };
  const find = (text: string): Promise<boolean> =>
    service.dataSource.query<unknown[]>(text).then(({ length }) => length > 0);
  const first = await startWorker();
  mails.behave('bea@acme.test', 'content', 'hang');
  await api.post(tickets, { ID: '1', 'Assigned To': 'bea@acme.test' }).expect(201);
  await until('a window', () => find('SELECT FROM mail_windows WHERE is_placed'));
  await service.dataSource.query('UPDATE mail_windows SET due_at = now()');
  await until('the server has the letter', () => mails.contents > 0);
  await first.kill();
  const second = await startWorker();
  try {
    await until('the digest has it', () => find(`SELECT FROM notifications WHERE mail = 'digest'`));
    await until(
      'nothing is due',
      async () => !(await find('SELECT FROM mail_windows WHERE due_at <= now()')),
    );
    expect(mails.contents).toBe(1);
  } finally {
    await second.stop();
    await service.stop();
    await mails.stop();
  }
});

import { Command } from 'commander';
import { addressIn } from '../common/mail-address.js';
import { readConfig } from '../config.js';
import { randomId } from '../common/random-id.js';
import { letterText } from '../messages/mail-text.js';
import { Mailer } from '../messages/mailer.js';
import { print, tell } from './terminal.js';

export function mailCommands(): Command {
  const mail = new Command('mail').description('mail that the service sends');
  mail
    .command('test')
    .argument('<e-mail>', 'the recipient')
    .description('send one mail now, and print the answer of the mail server')
    .action(test);
  return mail;
}

async function test(to: string): Promise<void> {
  if (addressIn(to) !== to) throw new Error(`"${to}" is not an e-mail address.`);
  const config = readConfig();
  const { smtpUrl, mailFrom } = config;
  if (smtpUrl === undefined) throw new Error('There is no mail server: set WTS_SMTP_URL.');
  tell(`mail server: ${shownPost(smtpUrl)}, from ${mailFrom}`);
  const mailer = new Mailer(config);
  const letter = {
    to,
    subject: 'Mail of the Workflow Task Service works',
    ...letterText([`"wts mail test" has sent this mail to ${to}.`]),
    id: `${randomId('test')}@${mailer.domain}`,
    date: new Date(),
  };
  const { signal } = new AbortController();
  const outcome = await mailer.send(letter, { signal, onContent: () => Promise.resolve() });
  if (outcome.is === 'sent') {
    print(`sent to ${to}${outcome.answer === undefined ? '' : `: ${outcome.answer}`}`);
    return;
  }
  const answer = outcome.is === 'refused' ? outcome.answer : undefined;
  throw new Error(`not sent to ${to}: ${outcome.reason}${answer === undefined ? '' : `: ${answer}`}`);
}

/** Returns the address of the mail server, without user and password. */
function shownPost(smtpUrl: string): string {
  return smtpUrl.startsWith('file:') ? smtpUrl : `${new URL(smtpUrl).protocol}//${new URL(smtpUrl).host}`;
}

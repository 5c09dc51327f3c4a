import { Command } from 'commander';
import { In } from 'typeorm';
import { addressIn } from '../common/mail-address.js';
import { readConfig } from '../config.js';
import { WorkspaceEntity } from '../workflows/model/entities/workspace.entity.js';
import { randomId } from '../common/random-id.js';
import { letterText } from '../messages/mail-text.js';
import { Mailer } from '../messages/mailer.js';
import { noteBounce } from '../messages/inbox/mail/delivery.repository.js';
import { print, tell } from './terminal.js';
import { withDatabase } from './with-database.js';

export function mailCommands(): Command {
  const mail = new Command('mail').description('mail that the service sends');
  mail
    .command('test')
    .argument('<e-mail>', 'the recipient')
    .description('send one mail now, and print the answer of the mail server')
    .action(test);
  mail
    .command('bounced')
    .argument('<e-mail>', 'the address whose mail has come back')
    .description(
      'send no more notifications to an address, in any workspace, until its user says that it works',
    )
    .action(bounced);
  return mail;
}

async function test(email: string): Promise<void> {
  const config = readConfig();
  const { smtpUrl, mailFrom } = config;
  if (smtpUrl === undefined) throw new Error('There is no mail server: set WTS_SMTP_URL.');
  const to = addressOf(email);
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

async function bounced(email: string): Promise<void> {
  const to = addressOf(email);
  const slugs = await withDatabase(async (db) => {
    const ids = await noteBounce(db, to);
    const workspaces = await db.find(WorkspaceEntity, { where: { id: In(ids) }, order: { slug: 'ASC' } });
    return workspaces.map(({ slug }) => slug);
  });
  if (slugs.length === 0) throw new Error(`"${to}" is a user of no workspace.`);
  for (const slug of slugs) print(`no more notifications are mailed to ${to} in ${slug}`);
}

function addressOf(email: string): string {
  if (addressIn(email) !== email) throw new Error(`"${email}" is not an e-mail address.`);
  return email;
}

/** The address for mail without its password. */
function shownPost(smtpUrl: string): string {
  return smtpUrl.startsWith('file:') ? smtpUrl : `${new URL(smtpUrl).protocol}//${new URL(smtpUrl).host}`;
}

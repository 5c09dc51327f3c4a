import { type mailEn } from './mail-en.js';

/** What the pages about mail say in German. */
export const mailDe: typeof mailEn = {
  unsubscribe: {
    title: 'Diese E-Mails abbestellen',
    asks: (workspace) => `${workspace} schreibt Ihnen, wenn:`,
    button: 'Abbestellen',
    done: 'Sie haben diese E-Mails abbestellt',
    doneMore: (email) =>
      `An ${email} geht keine E-Mail mehr, wenn Folgendes geschieht; Ihr Eingang zeigt es weiterhin:`,
    account: 'Benachrichtigungen ändern',
    reasons: {
      mentioned: 'jemand Sie erwähnt',
      assigned: 'Ihnen etwas zugewiesen wird',
      approval: 'Ihre Freigabe angefordert wird',
      due: 'eine Ihrer Aufgaben fällig ist',
      failed: 'eine Aktion fehlschlägt',
      watching: 'sich eine Aufgabe ändert, die Sie beobachten',
    },
  },
  undeliverable: {
    title: 'E-Mails an Sie sind nicht zustellbar',
    since: (email) =>
      `Ein Mailserver hat E-Mails an ${email} endgültig abgelehnt. Es werden keine mehr gesendet seit`,
    again: 'Meine Adresse funktioniert wieder',
    mark: 'E-Mail nicht zustellbar',
  },
};

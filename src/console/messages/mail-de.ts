import { type mailEn } from './mail-en.js';

/** What the pages about mail say in German. */
export const mailDe: typeof mailEn = {
  unsubscribe: {
    title: 'Keine E-Mails dieser Art mehr erhalten',
    asks: (workspace) => `${workspace} schreibt Ihnen, wenn:`,
    button: 'Diese E-Mails beenden',
    done: 'Diese E-Mails sind beendet',
    doneMore: (email) =>
      `Ihr Eingang zeigt weiterhin, wenn Folgendes geschieht, aber an ${email} geht keine E-Mail mehr:`,
    account: 'Auswählen, was Sie erfahren wollen',
    reasons: {
      mentioned: 'jemand Sie erwähnt',
      assigned: 'Ihnen etwas zugewiesen wird',
      approval: 'Ihre Freigabe gebraucht wird',
      due: 'eine Ihrer Aufgaben fällig ist',
      failed: 'eine Aktion fehlschlägt',
      watching: 'sich eine Aufgabe ändert, die Sie beobachten',
    },
  },
  undeliverable: {
    title: 'Ihre E-Mail kommt zurück',
    since: (email) =>
      `Ein Mailserver hat E-Mails an ${email} endgültig abgelehnt. Deshalb werden keine mehr geschickt seit`,
    again: 'Sie funktioniert wieder',
    mark: 'E-Mail kommt zurück',
  },
};

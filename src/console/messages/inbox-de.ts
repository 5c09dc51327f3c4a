import { type InboxWords } from './inbox-en.js';

/** What the pages say in German of what people are told. */
export const inboxDe: InboxWords = {
  title: 'Eingang',
  unread: (count) => `${count} ungelesen`,
  isUnread: 'Ungelesen',
  empty: 'Nichts Neues',
  emptyMore:
    'Hier erscheinen Erwähnungen, Zuweisungen, angeforderte Freigaben und Änderungen an Aufgaben, die Sie beobachten.',
  older: 'Ältere',
  newest: 'Neueste',
  happened: {
    mentioned: (who) => `${who} hat Sie erwähnt`,
    assigned: (who) => `${who} hat Ihnen diese Aufgabe zugewiesen`,
    approval: () => 'Ihre Freigabe wird angefordert',
    due: (who) => `${who} hat einen Termin erreicht`,
    failed: () => 'Eine Aktion ist fehlgeschlagen',
    watching: (who) => `${who} hat diese Aufgabe geändert`,
  },
  assignedMany: (who, count, workflow) => `${who} hat Ihnen ${count} Aufgaben in ${workflow} zugewiesen`,
  key: (name) => `API (${name})`,
  system: 'Der Dienst',
  done: 'Erledigt',
  read: 'Als gelesen markieren',
  markUnread: 'Als ungelesen markieren',
  of: (deed, task) => `${deed}: ${task}`,
  snooze: 'Später',
  tomorrow: 'Morgen, 08:00',
  monday: 'Montag, 08:00',
  until: 'Bis zum Morgen des',
  noSuchDay: 'Wählen Sie einen Tag in der Zukunft.',
  gone: 'Diese Benachrichtigung gibt es nicht mehr.',
  keys: 'Mit der Tastatur führen j und k von Zeile zu Zeile, e heißt erledigt, u ungelesen, s später.',
  watch: {
    watching: 'Sie beobachten diese Aufgabe.',
    muted: 'Sie haben diese Aufgabe stummgeschaltet.',
    not: 'Sie beobachten diese Aufgabe nicht.',
    start: 'Beobachten',
    mute: 'Stummschalten',
  },
  people: (count) =>
    count === 0
      ? 'Niemand mit diesem Namen kann diese Aufgabe sehen'
      : count === 1
        ? '1 Person'
        : `${count} Personen`,
  preferences: {
    title: 'Benachrichtigungen',
    lead: 'Wählen Sie, wo Sie benachrichtigt werden.',
    reasons: {
      mentioned: 'Jemand erwähnt mich',
      assigned: 'Mir wird etwas zugewiesen',
      approval: 'Meine Freigabe wird angefordert',
      due: 'Eine Frist meiner Aufgabe ist erreicht',
      failed: 'Eine Aktion an meiner Aufgabe oder eine, die ich gestartet habe, schlägt fehl',
      watching: 'Alles andere an Aufgaben, die ich beobachte',
    },
    channels: { mail: 'Eingang und E-Mail', inbox: 'Eingang', off: 'Gar nicht' },
    default: (channel) => `Standard (${channel})`,
  },
};

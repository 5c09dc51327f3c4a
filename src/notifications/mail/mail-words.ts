import { type NotificationReason } from '../../entities/column-values.js';

/** The words of notification letters in one language. */
export interface MailWords {
  readonly language: string;
  /** What happened, by reason; `who` did it. */
  readonly happened: Readonly<Record<NotificationReason, (who: string) => string>>;
  readonly commented: (who: string) => string;
  readonly assignedMany: (tasks: number, workflow: string) => string;
  readonly open: (what: string) => string;
  readonly openAll: string;
  readonly digest: (workspace: string) => string;
  readonly digestLead: string;
  readonly more: (tasks: number) => string;
  readonly unsubscribe: string;
  /** Names for actors that are no person. */
  readonly actors: Readonly<
    Record<'key' | 'rule' | 'clock' | 'schedule' | 'timer' | 'system' | 'user', string>
  >;
}

const en: MailWords = {
  language: 'en',
  happened: {
    mentioned: (who) => `${who} mentioned you`,
    assigned: (who) => `${who} assigned this to you`,
    approval: () => 'Your approval is requested',
    due: () => 'This is due',
    failed: () => 'An action has failed',
    watching: (who) => `${who} changed this`,
  },
  commented: (who) => `${who} commented`,
  assignedMany: (tasks, workflow) => `${tasks} tasks of ${workflow} were assigned to you`,
  open: (what) => `Open ${what}`,
  openAll: 'Open your tasks',
  digest: (workspace) => `Updates in ${workspace}`,
  digestLead: 'Updates on tasks that you watch, and what you have not read yet:',
  more: (tasks) => `${tasks} more tasks are in your inbox.`,
  unsubscribe: 'Unsubscribe from these mails',
  actors: {
    key: 'An application',
    rule: 'A rule',
    clock: 'A deadline',
    schedule: 'A schedule',
    timer: 'A timer',
    system: 'The service',
    user: 'Somebody',
  },
};

const de: MailWords = {
  language: 'de',
  happened: {
    mentioned: (who) => `${who} hat Sie erwähnt`,
    assigned: (who) => `${who} hat Ihnen diese Aufgabe zugewiesen`,
    approval: () => 'Ihre Freigabe wird angefordert',
    due: () => 'Diese Aufgabe ist fällig',
    failed: () => 'Eine Aktion ist fehlgeschlagen',
    watching: (who) => `${who} hat diese Aufgabe geändert`,
  },
  commented: (who) => `${who} hat kommentiert`,
  assignedMany: (tasks, workflow) => `Ihnen wurden ${tasks} Aufgaben in ${workflow} zugewiesen`,
  open: (what) => `${what} öffnen`,
  openAll: 'Ihre Aufgaben öffnen',
  digest: (workspace) => `Neues in ${workspace}`,
  digestLead: 'Neues zu Aufgaben, die Sie beobachten, und was Sie noch nicht gelesen haben:',
  more: (tasks) => `Weitere ${tasks} Aufgaben finden Sie in Ihrem Eingang.`,
  unsubscribe: 'Diese E-Mails abbestellen',
  actors: {
    key: 'Eine Anwendung',
    rule: 'Eine Regel',
    clock: 'Eine Frist',
    schedule: 'Ein Zeitplan',
    timer: 'Ein Timer',
    system: 'Der Dienst',
    user: 'Jemand',
  },
};

/** The words of a language; English if it has none. */
export const mailWordsOf = (language: string | null): MailWords => (language === 'de' ? de : en);

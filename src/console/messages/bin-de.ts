import { type binEn } from './bin-en.js';

/** Dasselbe auf Deutsch. */
export const binDe: typeof binEn = {
  title: 'Papierkorb',
  lead: 'Aufgaben, die in den letzten 30 Tagen gelöscht wurden. Wer eine wiederherstellt, hat ihre ID, Werte, Dateien, Kommentare, Checkliste und Verlauf wieder.',
  nothing: 'Der Papierkorb ist leer',
  nothingMore: 'Eine gelöschte Aufgabe steht hier 30 Tage lang.',
  by: 'gelöscht von',
  byProgram: 'einem Programm',
  delete: 'Diese Aufgabe löschen …',
  question: (task) => `${task} löschen?`,
  questionMore:
    'Sie und Administratoren können sie 30 Tage lang wiederherstellen, mit Werten, Dateien, Kommentaren, Checkliste und Verlauf. Verknüpfungen mit Aufgaben, die es dann nicht mehr gibt, Freigaben und geplante Aktionen kommen nicht zurück.',
  button: 'Löschen',
  deleted: (task) => `${task} ist gelöscht`,
  deletedMore: 'Sie können sie 30 Tage lang wiederherstellen; Administratoren finden sie im Papierkorb.',
  restore: 'Wiederherstellen',
  restoreOf: (task) => `${task} wiederherstellen`,
  restored: (task) => `${task} ist wiederhergestellt`,
  left: (names) => `Nicht alles kam zurück: ${names}.`,
  leftMore:
    'Was fehlt, wurde inzwischen entfernt, ist anders verknüpft oder passt nicht mehr zur Definition.',
  open: 'Aufgabe öffnen',
};

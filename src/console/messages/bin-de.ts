import { type binEn } from './bin-en.js';

/** Dasselbe auf Deutsch. */
export const binDe: typeof binEn = {
  title: 'Papierkorb',
  lead: 'In den letzten 30 Tagen gelöschte Aufgaben. Eine wiederhergestellte Aufgabe hat ihre ID, Werte, Dateien, Kommentare, Checkliste und ihren Verlauf wieder.',
  nothing: 'Der Papierkorb ist leer',
  nothingMore: 'Gelöschte Aufgaben bleiben hier 30 Tage lang.',
  by: 'gelöscht von',
  byProgram: 'einem Programm',
  delete: 'Diese Aufgabe löschen …',
  question: (task) => `${task} löschen?`,
  questionMore:
    'Sie und Administratoren können sie 30 Tage lang wiederherstellen, mit Werten, Dateien, Kommentaren, Checkliste und Verlauf. Freigaben, geplante Aktionen und Verknüpfungen mit inzwischen gelöschten Aufgaben kommen nicht zurück.',
  button: 'Löschen',
  deleted: (task) => `${task} ist gelöscht`,
  deletedMore: 'Sie können sie 30 Tage lang wiederherstellen; Administratoren finden sie im Papierkorb.',
  restore: 'Wiederherstellen',
  restoreOf: (task) => `${task} wiederherstellen`,
  restored: (task) => `${task} ist wiederhergestellt`,
  left: (names) => `Nicht wiederhergestellt: ${names}.`,
  leftMore: 'Dies wurde inzwischen entfernt, ist anders verknüpft oder passt nicht mehr zur Definition.',
  open: 'Aufgabe öffnen',
};

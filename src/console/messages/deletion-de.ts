import { type deletionEn } from './deletion-en.js';

/** Dasselbe auf Deutsch. */
export const deletionDe: typeof deletionEn = {
  ask: 'Diese Aufgabe löschen …',
  question: (task) => `${task} löschen?`,
  questionMore: 'Das ist endgültig: Werte, Dateien, Kommentare und Checkliste sind nicht wiederherstellbar.',
  button: 'Löschen',
  open: 'Aufgabe öffnen',
};

import { type taskEn } from './task-en.js';

/** What the page of a task says in German beside what was said there before it had a panel. */
export const taskDe: typeof taskEn = {
  toAction: 'Zur nächsten Aktion',
  next: 'Als Nächstes',
  others: 'Andere Aktionen',
  needs: (action, reasons) => `Für ${action} fehlt: ${reasons}`,
  possible: (action) => `${action} ist jetzt möglich`,
  givesUp: (action) => `${action}: Damit wird die Aufgabe aufgegeben.`,
  take: 'Dort wegnehmen',
  linkedTo: (task, owner) => `verknüpft mit ${task} (${owner})`,
  takeIt: 'Mir zuweisen',
  itemsDone: (done, all) => `${done} von ${all} erledigt`,
  stages: 'Stufen',
  moveByHand: 'Von Hand verschieben',
  emptyFields: (count) => (count === 1 ? '1 leeres Feld' : `${count} leere Felder`),
  more: 'Mehr anzeigen',
  less: 'Weniger anzeigen',
  activity: 'Verlauf',
  filter: 'Anzeigen',
  shows: { all: 'Alles', comments: 'Kommentare', changes: 'Änderungen' },
  nothingYet: 'Noch nichts.',
  undo: 'Rückgängig machen',
  preview: 'Vorschau',
  noPreview: 'Für diese Datei gibt es keine Vorschau. Öffnen Sie sie über ihren Link.',
};

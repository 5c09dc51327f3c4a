import fc from 'fast-check';
import { type JsonMapping } from '../../src/workspace/definition-reader.js';
import { type WorkflowPlan } from './any-definition.js';
import { anyId, sparse } from './any-text.js';

/** Calendars of a workspace. */
export const anyCalendars: fc.Arbitrary<JsonMapping[]> = fc.uniqueArray(
  sparse(
    {
      id: fc.constantFrom('office', '1', 'no'),
      timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe'),
      hours: fc.constantFrom<JsonMapping>(
        { 'mon-fri': '09:00-17:00' },
        { mon: ['22:00-06:00'], tue: '12:00-24:00' },
        { 'sat-mon': ['09:00-12:00', '13:00-14:30'] },
      ),
    },
    { holidays: fc.constantFrom(['12-25'], ['easter+1', '2026-06-05'], []) },
  ),
  { maxLength: 2, selector: ({ id }) => id },
);

/** Schedules of a workflow; some start actions on the tasks of a query, if the workflow has actions. */
export function anySchedules({ stages, actions }: WorkflowPlan): fc.Arbitrary<JsonMapping[]> {
  if (actions.length === 0) return fc.constant([]);
  const queries = [
    ...stages.map((stage) => `Stage=${encodeURIComponent(stage)}`),
    '_updated[lt]={{now - 72 hours}}',
  ];
  const schedule = (id: string): fc.Arbitrary<JsonMapping> =>
    sparse(
      {
        id: fc.constant(id),
        cron: fc.constantFrom('0 7 * * MON', '*/15 8-18 1,15 * *', '30 2 * * *'),
        for: fc.constantFrom(...queries),
        run: fc.constantFrom(...actions),
      },
      { timezone: fc.constantFrom('UTC', 'America/Santiago'), missed: fc.constantFrom('once', 'skip') },
    );
  return fc.uniqueArray(anyId, { maxLength: 2 }).chain((ids) => fc.tuple(...ids.map(schedule)));
}

import { type ClockDefinition } from '../../automation/clocks/clock-definition.js';
import { clocks } from '../../automation/clocks/clocks.kind.js';
import { shownKinds } from '../../workflows/definition/kinds.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { type AdminPage } from './admin-page.js';
import { kindPage } from './kind-page.js';

/** The API shows the clocks of tasks; only this page lists those of the definition. */
const listedClocks = {
  ...clocks,
  show: (_: unknown, { workflow }: { readonly workflow: Workflow }) => Promise.resolve(clocks.in(workflow)),
  facts: ({ due, budget }: ClockDefinition) => ({ Deadline: due?.field ?? budgetOf(budget) }),
  columns: ['Deadline'],
  runs: 'Its reminders and escalations.',
  operations: {},
};

/** The time that a clock allows, such as `2 working days`. */
const budgetOf = (budget: ClockDefinition['budget']): string | undefined =>
  typeof budget === 'object' ? `depends on ${budget.field}` : budget?.replaceAll('_', ' ');

/** The pages of all kinds that the API shows, and of clocks. */
export const kindPages: readonly AdminPage[] = [
  ...shownKinds.map((kind) => kindPage(kind)),
  kindPage(listedClocks),
];

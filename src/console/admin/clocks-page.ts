import { type ClockDefinition } from '../../automation/clocks/clock-definition.js';
import { clocks } from '../../automation/clocks/clocks.kind.js';
import { starterPage } from './starter-page.js';

/** The clocks of the workflows that somebody administers. */
export const clocksPage = starterPage<ClockDefinition>({
  kind: clocks,
  title: 'Clocks',
  icon: 'clock',
  lead: 'Clocks give tasks a deadline, and start actions before and after it. The definition contains them.',
  empty: ['No clocks', 'Add them in the definition, under clocks: of a workflow.'],
  all: (_, { workflow }) => Promise.resolve(clocks.in(workflow)),
  under: budgetOf,
  facts: () => [],
});

/** How long tasks have, or where that stands. */
function budgetOf({ due, budget }: ClockDefinition): string {
  if (due) return `due at ${due.field}`;
  return typeof budget === 'object' ? `by ${budget.field}` : (budget ?? 'no budget');
}

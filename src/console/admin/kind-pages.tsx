import { type ClockDefinition } from '../../automation/clocks/clock-definition.js';
import { clocks } from '../../automation/clocks/clocks.kind.js';
import { type ShownRule } from '../../automation/rules/rule.dto.js';
import { shownRules } from '../../automation/rules/shown-rules.js';
import { triggerTypes } from '../../automation/rules/trigger-types.js';
import { type ShownSchedule } from '../../automation/schedules/schedule.dto.js';
import { shownSchedules } from '../../automation/schedules/shown-schedules.js';
import { english } from '../../common/message.js';
import { shownKinds } from '../../workflows/definition/kinds.js';
import { wordsOf } from '../../workflows/model/schema-parts.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { Badge, stateName } from '../parts/badge.js';
import { Instant } from '../parts/time.js';
import { type AdminPage, type FactRow } from './admin-page.js';
import { kindPage } from './kind-page.js';

const rulesPage = kindPage(shownRules, {
  icon: 'history',
  lead: 'Rules start actions when an event happens. The definition contains them.',
  under: (rule, workflow) => `${triggerOf(rule)} → ${startedBy(rule, workflow)}`,
  due: (rule) => <>Last run: {lastRun(rule)}</>,
  facts: (rule) => [
    ['Waits for', triggerOf(rule)],
    ['Last run', lastRun(rule)],
  ],
});

/** The trigger of a rule, such as `A field changes`. */
const triggerOf = ({ on }: ShownRule): string => english(wordsOf(triggerTypes.get(on)?.settings ?? {}).title);

/** The action that a rule starts; its id if it is an action of another workflow. */
function startedBy({ run }: ShownRule, { actions }: Workflow): string {
  if (run === null) return 'something that you may not see';
  return actions.find(({ id }) => id === run)?.name ?? run;
}

const lastRun = ({ last_run_at: last }: ShownRule) =>
  last === null ? 'never' : <Instant at={new Date(last)} isShort />;

const schedulesPage = kindPage(shownSchedules, {
  lead: 'Schedules create tasks or start actions at set times. The definition contains them.',
  under: ({ cron, timezone }) => `${cron} ${timezone}`,
  due: (schedule) => schedule.state === 'active' && <>Next: {instantOf(schedule, schedule.next[0])}</>,
  facts: (schedule) => [
    ['When', <code>{schedule.cron}</code>],
    ['Time zone', schedule.timezone],
    ['Last run', lastOf(schedule)],
    [
      'Next five times',
      <ol class="plain-list stack gap-1">
        {schedule.next.map((at) => (
          <li>{instantOf(schedule, at)}</li>
        ))}
      </ol>,
    ],
  ],
});

const instantOf = ({ timezone }: ShownSchedule, at: string | undefined) =>
  at !== undefined && <Instant at={new Date(at)} timeZone={timezone} />;

function lastOf(schedule: ShownSchedule) {
  const { last } = schedule;
  if (last === null) return 'never';
  return (
    <>
      {instantOf(schedule, last.at)} <Badge>{stateName(last.result)}</Badge>
    </>
  );
}

/** The API shows the clocks of tasks; only this page lists those of the definition. */
const listedClocks = {
  ...clocks,
  show: (_: unknown, { workflow }: { readonly workflow: Workflow }) => Promise.resolve(clocks.in(workflow)),
  runs: 'Its reminders and escalations.',
  operations: {},
};

const clocksPage = kindPage(listedClocks, {
  lead: 'Clocks give tasks a deadline, and start actions before and after it. The definition contains them.',
  under: budgetOf,
  facts: () => [],
});

function budgetOf({ due, budget }: ClockDefinition): string {
  if (due) return `due at ${due.field}`;
  return typeof budget === 'object' ? `by ${budget.field}` : (budget?.replaceAll('_', ' ') ?? 'no budget');
}

/** What the API shows of each element, for a kind that has no page of its own. */
function factsOf(one: object): FactRow[] {
  const facts = Object.entries(one).filter(([name]) => !['id', 'state'].includes(name));
  return facts.map(([name, value]) => [titleOf(name), textOf(value)]);
}

const titleOf = (name: string): string =>
  name === 'url' ? 'Address' : name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const ownPages = [rulesPage, schedulesPage, clocksPage];
const otherKinds = shownKinds.filter(({ list }) => !ownPages.some(({ path }) => path === list));

/** The pages of all kinds that the API shows, and of clocks. */
export const kindPages: readonly AdminPage[] = [
  ...ownPages,
  ...otherKinds.map((kind) => kindPage(kind, { facts: factsOf })),
];

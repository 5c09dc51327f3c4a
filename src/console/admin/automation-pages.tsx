import { english } from '../../common/message.js';
import { type ShownRule } from '../../automation/rules/rule.dto.js';
import { rules } from '../../automation/rules/rules.kind.js';
import { shownRules } from '../../automation/rules/shown-rules.js';
import { triggerTypes } from '../../automation/rules/trigger-types.js';
import { wordsOf } from '../../workflows/model/schema-parts.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { Instant } from '../parts/time.js';
import { ofKind, starterPage } from './starter-page.js';
import { type ClockDefinition } from '../../automation/clocks/clock-definition.js';
import { clocks } from '../../automation/clocks/clocks.kind.js';
import { type ShownSchedule } from '../../automation/schedules/schedule.dto.js';
import { schedules } from '../../automation/schedules/schedules.kind.js';
import { shownSchedules } from '../../automation/schedules/shown-schedules.js';
import { Badge, stateName } from '../parts/badge.js';
import { type Identified, type ShownKind } from '../../workflows/model/shown-kind.js';

export const rulesPage = starterPage<ShownRule>({
  kind: rules,
  ...ofKind(shownRules),
  title: 'Rules',
  icon: 'history',
  lead: 'Rules start actions when an event happens. The definition contains them.',
  empty: ['No rules', 'Add them in the definition, under rules: of a workflow.'],
  under: (rule, workflow) => `${triggerOf(rule)} → ${startedBy(rule, workflow)}`,
  due: (rule) => <>Last run: {lastRun(rule)}</>,
  facts: (rule) => [
    ['Waits for', triggerOf(rule)],
    ['Last run', lastRun(rule)],
  ],
});

/** The trigger of a rule, such as `A field changes`. */
const triggerOf = ({ on }: ShownRule): string => english(wordsOf(triggerTypes.get(on)?.settings ?? {}).title);

/** The action that a rule starts; undefined if it is an action of another workflow. */
function startedBy({ run }: ShownRule, { actions }: Workflow): string {
  if (run === null) return 'something that you may not see';
  return actions.find(({ id }) => id === run)?.name ?? run;
}

const lastRun = ({ last_run_at: last }: ShownRule) =>
  last === null ? 'never' : <Instant at={new Date(last)} isShort />;

export const clocksPage = starterPage<ClockDefinition>({
  kind: clocks,
  title: 'Clocks',
  icon: 'time',
  lead: 'Clocks give tasks a deadline, and start actions before and after it. The definition contains them.',
  empty: ['No clocks', 'Add them in the definition, under clocks: of a workflow.'],
  all: (_, { workflow }) => Promise.resolve(clocks.in(workflow)),
  under: budgetOf,
  facts: () => [],
});

function budgetOf({ due, budget }: ClockDefinition): string {
  if (due) return `due at ${due.field}`;
  return typeof budget === 'object' ? `by ${budget.field}` : (budget?.replaceAll('_', ' ') ?? 'no budget');
}

export const schedulesPage = starterPage<ShownSchedule>({
  kind: schedules,
  ...ofKind(shownSchedules),
  title: 'Schedules',
  icon: 'time',
  lead: 'Schedules create tasks or start actions at set times. The definition contains them.',
  empty: ['No schedules', 'Add them in the definition, under schedules: of a workflow.'],
  under: ({ cron, timezone }) => `${cron} ${timezone}`,
  due: (schedule) => schedule.state === 'active' && <>Next: {instantOf(schedule, schedule.next[0])}</>,
  facts: (schedule) => [
    ['When', <code>{schedule.cron}</code>],
    ['Time zone', schedule.timezone],
    ['Last run', schedule.last === null ? 'never' : lastOf(schedule, schedule.last)],
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

const lastOf = (schedule: ShownSchedule, last: NonNullable<ShownSchedule['last']>) => (
  <>
    {instantOf(schedule, last.at)} <Badge>{stateName(last.result)}</Badge>
  </>
);

/** The page of a kind that has no page of its own: it shows what the API shows of each element. */
export function kindPage(kind: ShownKind) {
  const { title, description } = wordsOf(kind.schema);
  return starterPage<Identified>({
    kind,
    ...ofKind(kind),
    hasRuns: kind.runs !== undefined,
    title,
    icon: 'time',
    lead: description,
    empty: [`No ${kind.list}`, `Add them in the definition, under ${kind.list}: of a workflow.`],
    under: () => '',
    facts: (one) =>
      Object.entries(one)
        .filter(([name]) => !['id', 'state'].includes(name))
        .map(([name, value]) => [titleOf(name), textOf(value)]),
  });
}

const titleOf = (name: string): string =>
  name === 'url' ? 'Address' : name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

import { type ActionDefinition } from '../../workspace/definition.js';
import { type ClockDefinition } from '../../workspace/clock-definition.js';
import { type RuleDefinition } from '../../workspace/rule-definition.js';
import { type Report, type WorkflowScope } from '../../workspace/check/kit.js';

/** Warns of automatic starts where the action is not offered or lacks a performer, and of clocks that never stop. */
export function warnOfStarts(scope: WorkflowScope, report: Report): void {
  const { actions, rules, clocks, schedules } = scope.workflow;
  const byId = new Map(actions.map((action) => [action.id, action]));
  // A rule with `of` runs an action of another workflow.
  for (const rule of rules.filter(({ of }) => of === undefined)) {
    const action = byId.get(rule.run);
    if (action) warnOfRule(rule, action, scope, report);
  }
  for (const clock of clocks) warnOfClock(clock, byId, scope, report);
  for (const schedule of schedules) {
    const action = byId.get(schedule.run ?? '');
    if (action) warnOfNoPerformer(schedule, action, inThatStep, report);
  }
}

const inThatStep = 'name a user or { field: … } in that step';

function warnOfRule(
  rule: RuleDefinition,
  action: ActionDefinition,
  scope: WorkflowScope,
  report: Report,
): void {
  const named = stagesNamed(rule);
  const open = scope.workflow.stages.map(({ name }) => name).filter((name) => !named.includes(name));
  if (rule.on === 'stage_entered') warnOfUnoffered(rule, action, named, 'some', report);
  if (rule.on === 'stage_left') warnOfUnoffered(rule, action, open, 'all', report);
  if (rule.as === undefined)
    warnOfNoPerformer(rule, action, `write as: <e-mail> here, or ${inThatStep}`, report);
}

/** The stages that a trigger names in `stage` or `stages`. */
export function stagesNamed(rule: object): string[] {
  const settings = new Map<string, unknown>(Object.entries(rule));
  return [settings.get('stage'), settings.get('stages')].flat().filter((name) => typeof name === 'string');
}

function warnOfClock(
  clock: ClockDefinition,
  actions: ReadonlyMap<string, ActionDefinition>,
  { workflow: { stages } }: WorkflowScope,
  report: Report,
): void {
  const ends = clock.stops?.stages ?? stages.filter(({ end }) => end).map(({ name }) => name);
  if (!clock.while && ends.length === 0) report(clock, 'id', endless, 'warning');
  const standing =
    clock.while?.stages ?? stages.map(({ name }) => name).filter((name) => !ends.includes(name));
  const firing = standing.filter((name) => clock.pauses?.stages.includes(name) !== true);
  const ended =
    clock.starts && 'stages' in clock.starts ? clock.starts.stages.filter((name) => ends.includes(name)) : [];
  if (ended.length > 0)
    report(clock, 'starts', `in ${ended.join(', ')}, where it also ends, so it never runs there`, 'warning');
  if (clock.pauses && firing.length === 0)
    report(clock, 'pauses', 'in every stage in which it runs, so it never counts', 'warning');
  for (const rung of clock.rungs) {
    const action = actions.get(rung.run ?? '');
    if (!action) continue;
    warnOfUnoffered(rung, action, firing, clock.while ? 'some' : 'all', report);
    warnOfNoPerformer(rung, action, inThatStep, report);
  }
}

const endless =
  'can start but never stops, because the workflow has no end stage: name the stages in which it stops (stops) or runs (while)';

/** Warns of an action that is not offered in the stages where it is started: in some of them, or in all. */
function warnOfUnoffered(
  starter: { readonly run?: string },
  { name, stages }: ActionDefinition,
  started: readonly string[],
  which: 'some' | 'all',
  report: Report,
): void {
  const closed = started.filter((stage) => stages.length > 0 && !stages.includes(stage));
  if (closed.length === 0 || (which === 'all' && closed.length < started.length)) return;
  const remedy = `add ${closed.length === 1 ? 'it' : 'them'} to the stages of the action, or run another here`;
  report(
    starter,
    'run',
    `runs ${name} in ${closed.join(', ')}, where it is not offered: ${remedy}`,
    'warning',
  );
}

/** Warns of a step or condition that reads the performer, in an action that starts without one. */
function warnOfNoPerformer(
  starter: { readonly run?: string },
  { name, steps, requirements }: ActionDefinition,
  remedy: string,
  report: Report,
): void {
  const needy = steps.find((step) => [...performersIn(step)].length > 0);
  const isAsked = [...performersIn(requirements)].length > 0;
  if (!needy && !isAsked) return;
  const what = needy ? `step ${needy.name}` : 'requirements';
  report(starter, 'run', `runs ${name}, whose ${what} needs a performer, but nobody performs it: ${remedy}`, 'warning'); // prettier-ignore
}

/** The expressions that read the performer without comparing it with null. */
function* performersIn(value: unknown, key = ''): Iterable<string> {
  if (typeof value === 'string') {
    const isRead = key === 'to' ? value === 'performer' : formulas.has(key) && /\bperformer\b/.test(value);
    if (isRead && !/\bperformer\s*[!=]=\s*null\b/.test(value)) yield value;
  } else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value))
      yield* performersIn(item, Array.isArray(value) ? key : name);
}

const formulas: ReadonlySet<string> = new Set(['expression', 'when']);

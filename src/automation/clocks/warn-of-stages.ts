import { type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { warnOfNoPerformer, warnOfUnoffered } from '../starts.js';
import { type ClockDefinition } from './clock-definition.js';

/** Warns of a clock that never stops or never counts, and of rungs that start an action where it is not offered. */
export function warnOfStages(clock: ClockDefinition, { workflow }: WorkflowScope, report: Report): void {
  const { stages } = workflow;
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
    const action = workflow.actions.find(({ id }) => id === rung.run);
    if (!action) continue;
    warnOfUnoffered(rung, action, firing, clock.while ? 'some' : 'all', report);
    warnOfNoPerformer(rung, action, report);
  }
}

const endless =
  'can start but never stops, because the workflow has no end stage: name the stages in which it stops (stops) or runs (while)';

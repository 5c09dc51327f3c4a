import { lastRuns } from '../../executions/runs/runs.repository.js';
import { type RuleDefinition } from './rule-definition.js';
import { type KindOperation, type ShownKind } from '../../workflows/model/shown-kind.js';
import { targetOf } from './follow-rule.js';
import { pauseRule } from './pause-rule.js';
import { rules } from './rules.kind.js';
import { ShownRule } from './rule.dto.js';
import { ruleStatesOf } from './rule-states.repository.js';

/** The rules of a workflow, which start actions automatically. */
export const shownRules: ShownKind<RuleDefinition, ShownRule> = {
  ...rules,
  shown: ShownRule,
  description: 'In the order of the definition, which has all their settings.',
  async show(db, { workflow }, known) {
    const states = await ruleStatesOf(db, workflow);
    const own = rules.in(workflow);
    const ids = own.map(({ id }) => id);
    const last = await lastRuns(db, workflow, 'rule', ids);
    return own.map(({ id, on, run, of }) => ({
      id,
      on,
      run: known(targetOf(workflow, of)) ? run : null,
      state: states.get(id)?.isPaused === true ? 'paused' : 'active',
      last_run_at: last.get(id)?.toISOString() ?? null,
    }));
  },
  runs: 'All, or with `_limit` a page; `Link` leads to the next page. They are kept for 90 days.',
  operations: {
    pause: {
      title: 'Pause a rule',
      description: 'Runs that it would start while paused are `silenced`, and are not started later.',
      run: pausing(true),
    },
    resume: {
      title: 'Resume a rule',
      description: 'It judges events from now on.',
      run: pausing(false),
    },
  },
};

function pausing(isPaused: boolean): KindOperation<RuleDefinition>['run'] {
  return (tx, { id: ruleId }, { workspaceId, workflow, origin }) =>
    pauseRule(tx, { workspaceId, workflowId: workflow.id, ruleId }, isPaused, origin?.source);
}

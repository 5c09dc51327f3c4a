import { lastRuns } from '../../executions/runs/runs.repository.js';
import { type RuleDefinition } from './rule-definition.js';
import { wordsOf } from '../../workflows/model/schema-parts.js';
import { type KindOperation, type ShownKind } from '../../workflows/model/shown-kind.js';
import { findWorkflow } from '../../workflows/model/workspace.js';
import { rulesIn } from './compiled-rules.js';
import { rules } from './rules.kind.js';
import { ShownRule } from './rule.dto.js';
import { ruleStatesOf, setPaused } from './rule-states.repository.js';
import { recordEvent } from '../../events/record-event.js';
import { triggerTypes } from './trigger-types.js';
import { endWaiting } from './waiting-runs.job.js';

export const shownRules: ShownKind<RuleDefinition, ShownRule> = {
  ...rules,
  shown: ShownRule,
  async show(db, { workflow }, known) {
    const states = await ruleStatesOf(db, workflow);
    const own = rulesIn(workflow);
    const ids = own.map(({ definition }) => definition.id);
    const last = await lastRuns(db, workflow, 'rule', ids);
    return own.map(({ definition: { id, on, run }, targetId }) => ({
      id,
      on,
      run: known(targetId) ? run : null,
      state: states.get(id)?.isPaused === true ? 'paused' : 'active',
      last_run_at: last.get(id)?.toISOString() ?? null,
    }));
  },
  facts: ({ id, on, run, last_run_at }, workflow, workspace) => {
    const rule = rulesIn(workflow).find(({ definition }) => definition.id === id);
    const action = findWorkflow(workspace, rule?.targetId)?.actions.find((each) => each.id === run);
    return {
      Trigger: wordsOf(triggerTypes.get(on)?.settings ?? {}).title,
      Action: run === null ? 'hidden' : (action?.name ?? run),
      'Last run': last_run_at ?? 'never',
    };
  },
  columns: ['Trigger', 'Action', 'Last run'],
  runs: 'All runs, or with `_limit` a page; `Link` leads to the next page. Runs are kept for 90 days.',
  operations: {
    pause: {
      title: 'Pause a rule',
      description: 'Runs of the paused rule are `silenced`, and are not started later.',
      run: pausing(true),
    },
    resume: {
      title: 'Resume a rule',
      description: 'The rule judges events from now on.',
      run: pausing(false),
    },
  },
};

/** Pauses or resumes a rule. If the state changes, ends the rule's waiting runs and records an event. */
function pausing(isPaused: boolean): KindOperation<RuleDefinition>['run'] {
  return async (tx, { id: ruleId }, { workspaceId, workflow, origin }) => {
    const workflowId = workflow.id;
    if (!(await setPaused(tx, { workspaceId, workflowId, ruleId }, isPaused))) return;
    // Resuming ends waiting runs, too: an event judged before the pause may add a run during the pause.
    await endWaiting(tx, { workspaceId, workflowId, starterId: ruleId }, 'silenced', 'the rule is paused');
    const type = isPaused ? 'rule.paused' : 'rule.resumed';
    await recordEvent(tx, { workspaceId, type, workflowId, origin: origin?.source, about: { rule: ruleId } });
  };
}

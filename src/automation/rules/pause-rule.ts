import { type EntityManager } from 'typeorm';
import { type Source } from '../../common/origin.js';
import { recordEvent } from '../../events/record-event.js';
import { endWaiting } from './waiting-runs.js';
import { type RulePlace, setPaused } from './rule-states.repository.js';

/** Pauses or resumes a rule. If that changes its state, silences its runs that wait, and records an event. */
export async function pauseRule(
  tx: EntityManager,
  { workspaceId, workflowId, ruleId }: RulePlace,
  isPaused: boolean,
  origin?: Source,
): Promise<void> {
  if (!(await setPaused(tx, { workspaceId, workflowId, ruleId }, isPaused))) return;
  // Also at a resume, because an event that was followed during the pause may have left a run that waits.
  await endWaiting(tx, { workspaceId, workflowId, starterId: ruleId }, 'silenced', 'the rule is paused');
  const type = isPaused ? 'rule.paused' : 'rule.resumed';
  await recordEvent(tx, { workspaceId, type, workflowId, origin, about: { rule: ruleId } });
}

import { type EntityManager } from 'typeorm';
import { type Source } from '../database/origin.js';
import { recordEvent } from '../events/record-event.js';
import { endWaiting } from './waiting-runs.js';
import { type ChangedRule, type RuleChoice, setPaused } from './rule-states.repository.js';

/**
 * Pauses or resumes rules, silences their runs that wait, and records an event for each rule whose state changes;
 * returns these rules.
 */
export async function pauseRules(
  tx: EntityManager,
  choice: RuleChoice,
  isPaused: boolean,
  origin?: Source,
): Promise<ChangedRule[]> {
  const changed = await setPaused(tx, choice, isPaused);
  const type = isPaused ? 'rule.paused' : 'rule.resumed';
  const { workspaceId } = choice;
  for (const { workflowId, ruleId } of changed) {
    // Also at a resume, because an event that was followed during the pause may have left a run that waits.
    await endWaiting(tx, { workspaceId, workflowId, starterId: ruleId }, 'silenced', 'the rule is paused');
    await recordEvent(tx, { workspaceId, type, workflowId, origin, about: { rule: ruleId } });
  }
  return changed;
}

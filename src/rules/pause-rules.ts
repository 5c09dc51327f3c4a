import { type EntityManager } from 'typeorm';
import { type Source } from '../database/origin.js';
import { recordEvent } from '../events/record-event.js';
import { type ChangedRule, type RuleChoice, setPaused } from './rule-states.repository.js';

/** Pauses or resumes rules, and records an event for each rule whose state changes; returns these rules. */
export async function pauseRules(
  tx: EntityManager,
  choice: RuleChoice,
  isPaused: boolean,
  origin?: Source,
): Promise<ChangedRule[]> {
  const changed = await setPaused(tx, choice, isPaused);
  const type = isPaused ? 'rule.paused' : 'rule.resumed';
  for (const { workflowId, ruleId } of changed)
    await recordEvent(tx, {
      workspaceId: choice.workspaceId,
      type,
      workflowId,
      origin,
      about: { rule: ruleId },
    });
  return changed;
}

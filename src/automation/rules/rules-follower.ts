import { rules } from './rules.kind.js';
import { type Follower, type FollowerTurn } from '../../events/follower.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { type EventNames, namesOfEvents } from '../../events/event-names.js';
import { readTasksAhead } from '../../events/task-at-event.js';
import { sourceOf } from '../../common/origin.js';
import { taskUrlOf } from '../../common/public-address.js';
import { executionJob } from '../../executions/executions.repository.js';
import { findWorkflow } from '../../workflows/model/workspace.js';
import { type Rule, rulesByType, rulesIn } from './compiled-rules.js';
import { followRule } from './follow-rule.js';
import { ofTaskOfHook } from './hooks/task-of-hook.js';
import { judgeEvent } from './judge-event.js';
import { ruleStatesOf } from './rule-states.repository.js';
import { type EventFacts, type Verdict } from './trigger.js';
import { triggerTypes } from './trigger-types.js';

export const rulesFollower: Follower = {
  name: 'rules',
  wants: ({ workflows }) => workflows.some((workflow) => rules.in(workflow).length > 0),
  types: [...new Set([...triggerTypes.values()].flatMap(({ types }) => types))],
  async begin(turn, events) {
    const { tx, workspace } = turn;
    for (const workflow of workspace.workflows.values()) {
      const reading = rulesIn(workflow).filter(({ condition }) => condition);
      const types = new Set<string>(reading.flatMap((rule) => rule.types));
      const some = events.filter(({ workflowId, type }) => workflowId === workflow.id && types.has(type));
      const fieldIds = reading.flatMap(({ condition }) => condition?.fieldIds ?? []);
      if (some.length > 0) await readTasksAhead(tx, workspace.id, some, [...new Set(fieldIds)]);
    }
    const names = await namesOfEvents(tx, workspace, taskUrlOf(turn.config), events);
    return { follow: (event) => followByRules({ ...turn, names }, event) };
  },
};

interface RulesTurn extends FollowerTurn {
  readonly names: EventNames;
}

async function followByRules(turn: RulesTurn, event: RecordedEvent): Promise<void> {
  const workflow = findWorkflow(turn.workspace, event.workflowId);
  // If a new definition changes a task, that change triggers no rules.
  if (!workflow || sourceOf(event.origin).definition !== undefined) return;
  const facts = { db: turn.tx, event, workflow, names: turn.names };
  for (const rule of rulesByType(workflow).get(event.type) ?? []) {
    // A workflow may have many rules, and an unneeded `await` takes longer than judging most rules.
    const judged = judgeEvent(rule, facts);
    const verdict = judged instanceof Promise ? await judged : judged;
    if (verdict.isMet) await followByRule(turn, facts, rule, verdict);
    const pause = turn.pause();
    if (pause) await pause;
  }
}

async function followByRule(
  turn: RulesTurn,
  { db, event, workflow }: EventFacts,
  rule: Rule,
  { because, hook }: Verdict,
): Promise<void> {
  const state = (await ruleStatesOf(db, workflow)).get(rule.definition.id);
  // An event from before the rule existed does not trigger the rule.
  if (!state || BigInt(event.place) <= BigInt(state.beginsBehind)) return;
  const met = { ...turn, event, workflow, rule, because, hook, isPaused: state.isPaused };
  const ofTask = hook ? await ofTaskOfHook(met, hook) : met;
  const executions = ofTask ? await followRule(ofTask) : [];
  for (const execution of executions) turn.ring(executionJob, execution);
}

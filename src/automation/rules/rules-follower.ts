import { rules } from './rules.kind.js';
import { type Follower, type FollowerTurn } from '../../events/follower.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { readTasksAhead } from '../../events/task-at-event.js';
import { sourceOf } from '../../common/origin.js';
import { executionJob } from '../../executions/executions.repository.js';
import { findWorkflow, type Workflow } from '../../workflows/model/workspace.js';
import { type Rule, rulesIn } from './compiled-rules.js';
import { followRule } from './follow-rule.js';
import { ofTaskOfHook } from './hooks/task-of-hook.js';
import { judgeEvent } from './judge-event.js';
import { fieldIdsOf } from '../../actions/at-event.js';
import { ruleStatesOf } from './rule-states.repository.js';
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
      const fieldIds = reading.flatMap(({ condition }) =>
        condition ? fieldIdsOf(workflow, condition.expression) : [],
      );
      if (some.length > 0) await readTasksAhead(tx, workspace.id, some, [...new Set(fieldIds)]);
    }
    return { follow: (event) => followByRules(turn, event) };
  },
};

async function followByRules(turn: FollowerTurn, event: RecordedEvent): Promise<void> {
  const workflow = findWorkflow(turn.workspace, event.workflowId);
  // Changes that a new definition makes to tasks trigger no rules.
  if (!workflow || sourceOf(event.origin).definition !== undefined) return;
  for (const rule of rulesIn(workflow).filter(({ types }) => types.some((type) => type === event.type))) {
    await followByRule(turn, event, workflow, rule);
    await turn.pause();
  }
}

async function followByRule(
  turn: FollowerTurn,
  event: RecordedEvent,
  workflow: Workflow,
  rule: Rule,
): Promise<void> {
  const { tx, names } = turn;
  const { isMet, because, hook } = await judgeEvent(rule, { db: tx, event, workflow, names });
  if (!isMet) return;
  const state = (await ruleStatesOf(tx, workflow)).get(rule.definition.id);
  // An event from before the rule existed does not trigger the rule.
  if (!state || BigInt(event.place) <= BigInt(state.beginsBehind)) return;
  const met = { ...turn, event, workflow, rule, because, hook, isPaused: state.isPaused };
  const ofTask = hook ? await ofTaskOfHook(met, hook) : met;
  const executions = ofTask ? await followRule(ofTask) : [];
  for (const execution of executions) turn.ring(executionJob, execution);
}

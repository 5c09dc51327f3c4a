import { json, listOf, parameters, ref } from '../openapi/vocabulary.js';
import { describe, type OperationGroup } from '../openapi/operation.js';
import { RunsQuery, ShownRun } from '../executions/runs/run.dto.js';
import { RunsController } from '../executions/runs/runs.controller.js';
import { DryRun, DryRunPayload, Explanation, ExplainPayload, ShownRule } from './rule.dto.js';
import { RulesController } from './rules.controller.js';

const group: OperationGroup = {
  name: 'Rules',
  description: 'What starts actions by itself, and why it did or did not.',
  models: [ShownRule, ShownRun, ExplainPayload, Explanation, DryRunPayload, DryRun],
};
const runs = { 200: json('The runs.', listOf(ref('Run')), ['Link', 'As-Of', 'Preference-Applied']) };
const rule = { 200: json('The rule.', 'Rule', ['Event-Id']) };
const body = (name: string) => ({ type: 'application/json', schema: ref(name) });

export function describeRules(): OperationGroup {
  describe(RunsController, group, {
    list: {
      id: 'listRunsOfTask',
      summary: 'List what came to start actions of a task by itself, newest first',
      description: 'Runs of rules, clocks, schedules and timers. They are kept for 90 days.',
      query: RunsQuery,
      parameters: [parameters.prefer],
      answers: runs,
    },
  });
  return describe(RulesController, group, {
    list: {
      id: 'listRules',
      summary: 'List the rules of a workflow',
      description: 'In the order of the definition, which says all of them.',
      answers: { 200: json('The rules.', listOf(ref('Rule'))) },
    },
    listRuns: {
      id: 'listRunsOfRule',
      summary: 'List the runs of a rule, newest first',
      description: 'All, or pages of them by `_limit`: `Link` leads to the next. They are kept for 90 days.',
      query: RunsQuery,
      parameters: [parameters.prefer],
      answers: runs,
    },
    explain: {
      id: 'explainRules',
      summary: 'Explain how the rules stand to an event',
      description: 'For each rule of the workflow what happened, or which part of the rule was false.',
      parameters: [parameters.idempotencyKey],
      body: body('ExplainedEvent'),
      answers: { 200: json('One explanation a rule.', listOf(ref('RuleExplanation'))) },
      refusals: ['409', '413', '415'],
    },
    dryRun: {
      id: 'tryRule',
      summary: 'Try a rule on a task',
      description: 'What it would do with the task as it is now, if its trigger were met. Nothing is stored.',
      parameters: [parameters.idempotencyKey],
      body: body('RuleTrial'),
      answers: { 200: json('What would happen.', 'RuleDryRun') },
      refusals: ['409', '413', '415'],
    },
    pause: {
      id: 'pauseRule',
      summary: 'Pause a rule',
      description: 'What it would have started meanwhile is `silenced`, and is not started later.',
      parameters: [parameters.idempotencyKey],
      answers: rule,
      refusals: ['409'],
    },
    resume: {
      id: 'resumeRule',
      summary: 'Resume a rule',
      description: 'It judges what happens from now on.',
      parameters: [parameters.idempotencyKey],
      answers: rule,
      refusals: ['409'],
    },
  });
}

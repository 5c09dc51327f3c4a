import { json, listOf, parameters, ref } from '../openapi/vocabulary.js';
import { describe, type OperationGroup } from '../openapi/operation.js';
import { RunsQuery, ShownRun } from '../executions/runs/run.dto.js';
import { RunsController } from '../executions/runs/runs.controller.js';
import { DryRun, DryRunPayload, Explanation, ExplainPayload, ShownRule } from './rule.dto.js';
import { RulesController } from './rules.controller.js';

const group: OperationGroup = {
  name: 'Rules',
  description: 'Rules, which start actions when an event happens, and their runs.',
  models: [ShownRule, ShownRun, ExplainPayload, Explanation, DryRunPayload, DryRun],
};
const runs = { 200: json('The runs.', listOf(ref('Run')), ['Link']) };
const rule = { 200: json('The rule.', 'Rule', ['Event-Id']) };
const body = (name: string) => ({ type: 'application/json', schema: ref(name) });

export function describeRules(): OperationGroup {
  describe(RunsController, group, {
    list: {
      id: 'listRunsOfTask',
      summary: 'List the runs on a task, newest first',
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
      description: 'In the order of the definition, which has all their settings.',
      answers: { 200: json('The rules.', listOf(ref('Rule'))) },
    },
    listRuns: {
      id: 'listRunsOfRule',
      summary: 'List the runs of a rule, newest first',
      description: 'All, or with `_limit` a page; `Link` leads to the next page. They are kept for 90 days.',
      query: RunsQuery,
      parameters: [parameters.prefer],
      answers: runs,
    },
    explain: {
      id: 'explainRules',
      summary: 'Explain how the rules judge an event',
      description: 'For each rule of the workflow: what happened, or which part of the rule was false.',
      parameters: [parameters.idempotencyKey],
      body: body('ExplainedEvent'),
      answers: { 200: json('One explanation for each rule.', listOf(ref('RuleExplanation'))) },
      refusals: ['409', '413', '415'],
    },
    dryRun: {
      id: 'tryRule',
      summary: 'Try a rule on a task',
      description: 'Shows what it would do with the task now, if its trigger matched. Nothing is stored.',
      parameters: [parameters.idempotencyKey],
      body: body('RuleTrial'),
      answers: { 200: json('What would happen.', 'RuleDryRun') },
      refusals: ['409', '413', '415'],
    },
    pause: {
      id: 'pauseRule',
      summary: 'Pause a rule',
      description: 'Runs that it would start while paused are `silenced`, and are not started later.',
      parameters: [parameters.idempotencyKey],
      answers: rule,
      refusals: ['409'],
    },
    resume: {
      id: 'resumeRule',
      summary: 'Resume a rule',
      description: 'It judges events from now on.',
      parameters: [parameters.idempotencyKey],
      answers: rule,
      refusals: ['409'],
    },
  });
}

import Type from 'typebox';
import { checkExpression, checkSecretName } from '../../../workflows/model/check/formulas.js';
import { checkRequired, checkSet } from '../../../actions/check/set.js';
import { type Report, type WorkflowScope } from '../../../workflows/model/check/kit.js';
import { type RuleDefinition } from '../rule-definition.js';
import { type SetDefinition, optionalSetOf } from '../../../workflows/model/schema-parts.js';
import { refers } from '../../../workflows/model/marks.js';
import { hookSubject } from '../hooks/hook-subject.js';
import { triggerType } from '../trigger.js';

interface HookSettings {
  readonly secret: string;
  readonly task: string;
  readonly create?: SetDefinition;
}

export const hook = triggerType(
  Type.Object(
    {
      secret: Type.String({
        ...refers('secret', { isCheckedThere: true }),
        title: 'Secret',
        description:
          'The name of the secret that the sender signs with (Standard Webhooks), or sends as `X-Hook-Secret`.',
        minLength: 1,
        maxLength: 100,
        examples: ['ERP_HOOK'],
      }),
      task: Type.String({
        title: 'Task',
        description: 'A CEL expression over `body` that gives the Unique ID of the task.',
        minLength: 1,
        examples: ['body["vendor"]["id"]'],
      }),
      create: optionalSetOf({
        ...refers('field', { keys: true, isCheckedThere: true }),
        title: 'Create',
        description:
          'If the task does not exist, it is created with these values by field name. A value is a constant, or {expression: …} over `body`. `task` gives the Unique ID.',
      }),
    },
    {
      title: 'Another system calls',
      description:
        'Another system sent JSON to the URL of the rule; `when` and `fields` may read this JSON, such as body["key"].',
      examples: [{ secret: 'ERP_HOOK', task: 'body["vendor"]["id"]', when: 'body["kind"] == "blocked"' }],
    },
  ),
  {
    types: ['hook.received'],
    reads: 'body',
    check(rule, scope, report) {
      checkSecretName(rule.secret, report.at(rule, 'secret'));
      checkTask(rule, scope, report);
      if (rule.create) checkCreate(rule, rule.create, scope, report);
    },
    compile:
      ({ id, task }, workflow) =>
      async ({ event, db }) => {
        if (event.about?.['rule'] !== id) return { isMet: false, because: 'the hook is of another rule' };
        const subject = await hookSubject(db, workflow, event, task);
        return { isMet: true, because: 'the hook was called', hook: subject };
      },
  },
);

/** The values of the task that a rule with `on: hook` creates; undefined if the rule creates none. */
export function createOf(rule: RuleDefinition<Partial<HookSettings>>): SetDefinition | undefined {
  return rule.create;
}

export function secretNameOf(rule: RuleDefinition<Partial<HookSettings>>): string {
  return rule.secret ?? '';
}

function checkTask(rule: RuleDefinition<HookSettings>, scope: WorkflowScope, report: Report): void {
  const { workflow } = scope;
  if (!workflow.fields.some(({ type }) => type === 'uniqueId'))
    report(rule, 'task', `cannot find a task: workflow ${workflow.id} has no field of type uniqueId`);
  const expression = checkExpression(rule.task, scope, report.at(rule, 'task'), { facts: ['body'] });
  if (!expression) return;
  if (expression.fields.size + expression.linked.size > 0)
    report(rule, 'task', 'reads a task, but it must find the task: read body["key"]');
  if (expression.type === 'bool' || expression.type?.startsWith('list') === true)
    report(rule, 'task', 'gives no Unique ID, which must be a text or a number');
}

function checkCreate(
  rule: RuleDefinition<HookSettings>,
  create: SetDefinition,
  scope: WorkflowScope,
  report: Report,
): void {
  const { fields } = scope.workflow;
  const uniqueId = fields.find(({ type }) => type === 'uniqueId')?.name;
  if (uniqueId !== undefined && Object.hasOwn(create, uniqueId))
    report(create, uniqueId, 'is already set by `task`');
  const where = {
    own: scope,
    target: scope,
    exists: false,
    other: { facts: ['body'] },
    hasNoTask: true,
  } as const;
  checkSet(create, where, report);
  const given = uniqueId === undefined ? create : { ...create, [uniqueId]: 'given' };
  checkRequired(rule, 'create', given, scope, report);
}

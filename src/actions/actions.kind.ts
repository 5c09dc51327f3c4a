import Type, { type TObject } from 'typebox';
import { type ActionDefinition, action, type StepDefinition } from '../workflows/model/action-definition.js';
import { checkName, type Report, type WorkflowScope, checkDistinct } from '../workflows/model/check/kit.js';
import { checkCondition } from '../workflows/model/check/formulas.js';
import { asMapping, asText, readAs, readShape } from '../workflows/model/definition-reader.js';
import { kind } from '../workflows/model/kind.js';
import { closedMapping, listSetting, nameText, wordsOf } from '../workflows/model/schema-parts.js';
import { checkAskedOfApprovals } from './requirements/approvals.js';
import { requirementTypes, wantedRequirements } from './requirement-types.js';
import { stepTypes } from './step-types.js';
import { storageOf } from '../workflows/fields/field-types.js';
import { type ApprovalsDefinition } from './requirements/approvals/approvals-schema.js';

const stepSchemas = new Map(
  [...stepTypes].map(([name, { settings }]) => [name, schemaOfStep(name, settings)]),
);

function schemaOfStep(type: string, settings: TObject) {
  const { title, description, examples } = wordsOf(settings);
  return Type.Object(
    {
      name: nameText({ title: 'Name of the step', description: 'Shown in outcomes and errors.' }),
      type: Type.Literal(type, { title: 'Type of step', description }),
      when: Type.Optional(
        Type.String({
          title: 'When',
          description:
            'A CEL expression, as in conditions. If it is not true when the step is reached, the step is skipped.',
          examples: ['task["Amount"] > 1000'],
        }),
      ),
      ...settings.properties,
    },
    {
      ...closedMapping,
      title,
      description,
      examples: examples.map((example) => ({ name: title, type, ...example })),
    },
  );
}

const step = readAs(
  Type.Unsafe<StepDefinition>({
    title: 'Step',
    description: 'One thing that an action does; its `type` says which.',
    type: 'object',
    required: ['type'],
    discriminator: { propertyName: 'type' },
    oneOf: [...stepSchemas.values()],
  }),
  // Leaves out steps of an unknown type, because the JSON Schema reports them.
  (value) => {
    const raw = asMapping(value);
    const schema = stepSchemas.get(asText(raw['type']));
    return schema && readShape(schema, raw);
  },
);

const requirements = Type.Object(
  Object.fromEntries([...requirementTypes].map(([key, { settings }]) => [key, Type.Optional(settings)])),
  {
    ...closedMapping,
    title: 'Requirements',
    description: 'Requirements that must be met before the action can begin.',
    default: {},
  },
);

export const actions = kind({
  name: 'action',
  list: 'actions',
  of: 'workflow',
  key: ['id'],
  schema: listSetting(action(requirements, step), {
    title: 'Actions',
    description: 'Things that people and systems can do with a task.',
    maxItems: 1000,
  }),
  check(one, within, report) {
    checkName(one.name, report.at(one, 'name'));
    checkAsked(one, within, report);
    for (const [, type, wanted] of wantedRequirements(one.requirements)) type.check?.(wanted, within, report);
    checkSteps(one.steps, within, report);
  },
  checkSound: checkAskedOfApprovals,
});

function checkSteps(steps: readonly StepDefinition[], within: WorkflowScope, report: Report): void {
  for (const one of steps) {
    checkName(one.name, report.at(one, 'name'));
    if (one.when !== undefined) checkCondition(one.when, within, report.at(one, 'when'));
    stepTypes.get(one.type)?.check?.(one, within, report);
  }
  for (const one of steps.slice(0, -1).filter(({ type }) => stepTypes.get(type)?.isLast))
    report(one, 'type', 'must be the last step');
}

function checkAsked(
  { fields = [] }: Pick<ActionDefinition, 'fields'>,
  scope: WorkflowScope,
  report: Report,
): void {
  for (const asked of fields) {
    const known = scope.fields.get(asked.field);
    // A field without a type is reported at the field.
    if (!known?.type) continue;
    if (storageOf(known.type) !== 'values')
      report(asked, 'field', `is a ${known.type} field, which no action can ask for: ${asked.field}`);
    else if (!known.editable)
      report(asked, 'field', `has editable: false, so nothing can change it: ${asked.field}`);
  }
  const names = fields.map((holder) => ({ holder, key: 'field', text: holder.field }));
  checkDistinct(names, 'is already asked for', report);
}

/** If the console is off, reports approvals that need people. Without a mail server, reports mail steps. */
export function checkInstallation(scope: WorkflowScope, report: Report): void {
  const { hasConsole = true, hasMail = true } = scope.workspace.known;
  if (!hasConsole) reportPeople(scope, report);
  if (!hasMail) reportMail(scope, report);
}

/** Reports each group whose approvals must come from signed-in people. */
function reportPeople({ workflow }: WorkflowScope, report: Report): void {
  // The cast needs no check, because the schema reports malformed approvals.
  const wanted = workflow.actions.flatMap(
    ({ requirements }) => (requirements['approvals'] ?? []) as ApprovalsDefinition[],
  );
  const message = 'is `people`, who must sign in to the console, but WTS_CONSOLE is off. Write `by: anyone`';
  for (const group of wanted.flatMap(({ of }) => of)) if (group.by !== 'anyone') report(group, 'by', message);
}

function reportMail({ workflow }: WorkflowScope, report: Report): void {
  const steps = workflow.actions.flatMap((action) => action.steps);
  for (const step of steps.filter(({ type }) => stepTypes.get(type)?.needsMail))
    report(step, 'type', 'needs a mail server: set WTS_SMTP_URL');
}

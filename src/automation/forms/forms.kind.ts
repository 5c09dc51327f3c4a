import { type EntityManager } from 'typeorm';
import { plural } from '../../common/wording.js';
import { type ChangedDefinition } from '../../workflows/model/changed-definition.js';
import { type Effect, effectOf } from '../../workflows/model/effect.js';
import { kind } from '../../workflows/model/kind.js';
import { listSetting } from '../../workflows/model/schema-parts.js';
import { form, type FormDefinition } from './form-definition.js';
import { formStatesOf, setForms } from './forms.repository.js';
import { checkCreated } from '../../actions/check/created.js';
import { checkFormFields } from '../../actions/asks/form-fields.js';
import { startOfDay } from '../../common/calendar.js';
import { isNumbered, storageOf } from '../../workflows/fields/field-types.js';
import { type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { fieldsLeftOut, leftOut } from '../../actions/check/set.js';
import { withRandom } from './reference.js';

export const forms = kind({
  name: 'form',
  list: 'forms',
  of: 'workflow',
  key: ['id'],
  schema: listSetting(form, {
    title: 'Forms',
    description: 'Forms let people without an account create tasks.',
    maxItems: 50,
  }),
  check: checkForm,
  effects: effectsOfRemovals,
  async begin(tx, { workspaceId, definition, workflowIds }): Promise<void> {
    const wanted = definition.workflows.flatMap((workflow) => {
      const workflowId = workflowIds.get(workflow.id);
      return workflowId === undefined ? [] : forms.in(workflow).map(({ id }) => ({ workflowId, formId: id }));
    });
    await setForms(tx, workspaceId, wanted);
  },
});

async function effectsOfRemovals(db: EntityManager, changed: ChangedDefinition): Promise<Effect[]> {
  const { rows, merged } = changed;
  const states = await formStatesOf(db, rows.workspace.id);
  return states.flatMap(({ workflowId, formId, quarantined }) => {
    const slug = rows.workflows.find(({ id }) => id === workflowId)?.slug ?? '';
    const workflow = merged.workflows.find(({ id }) => id === slug);
    if (!workflow || forms.in(workflow).some(({ id }) => id === formId)) return [];
    const lost = `${plural(quarantined, 'post')} in its quarantine will be deleted`;
    return effectOf('loses', 'form', `${slug} / ${formId}`, quarantined, lost);
  });
}

/** Reports errors in a form, such as a required field that neither the sender nor `fixed` fills in. */
function checkForm(form: FormDefinition, scope: WorkflowScope, report: Report): void {
  checkFormFields(form, scope, report);
  checkFixed(form, scope, report);
  checkUniqueId(form, scope, report);
  checkRequired(form, scope, report);
  checkNamed(form, scope, report);
  checkDays(form, report);
}

const isAsked = (form: FormDefinition, name: string): boolean =>
  form.fields.some(({ field }) => field === name);

function checkFixed(form: FormDefinition, scope: WorkflowScope, report: Report): void {
  const { fixed = {} } = form;
  checkCreated(fixed, { ...random, fillIn: (text) => withRandom(text, 'x') }, scope, report);
  for (const name of Object.keys(fixed)) {
    if (isAsked(form, name)) report(fixed, name, 'is also in `fields`: remove it from one of the two');
    if (scope.fields.get(name)?.change === 'by_actions')
      report(fixed, name, 'is a field that only actions change');
  }
  const stage = scope.workflow.stages.find(({ name }) => name === fixed['Stage']);
  if (stage?.enter === 'by_actions') report(fixed, 'Stage', 'is a stage that tasks enter only by actions');
}

const random = { isKnown: (name: string): boolean => name === 'random', allowed: 'allowed is {{random}}' };

/** A form's Unique ID needs a number or a random part; otherwise a post could name an existing task. */
function checkUniqueId(form: FormDefinition, { workflow }: WorkflowScope, report: Report): void {
  const field = workflow.fields.find(({ type }) => storageOf(type) === 'column');
  if (!field) return;
  const { name } = field;
  const fixed = form.fixed && Object.hasOwn(form.fixed, name) ? form.fixed[name] : undefined;
  if (typeof fixed === 'string' ? withRandom(fixed, '') !== fixed : fixed === undefined && isNumbered(field))
    return;
  const remedy = isNumbered(field)
    ? `leave ${name} out of fixed, or write a text with {{random}}`
    : `write fixed: { ${name}: 'V-{{random}}' }, or make ${name} a field with autoincrement: true`;
  report(form, 'id', `needs a Unique ID that nobody types: ${remedy}`);
}

function checkRequired(form: FormDefinition, scope: WorkflowScope, report: Report): void {
  for (const { name, type } of fieldsLeftOut(form.fixed ?? {}, scope))
    if (storageOf(type) !== 'column' && !isAsked(form, name)) report(form, 'fields', leftOut(name, scope));
}

function checkNamed(form: FormDefinition, { fields }: WorkflowScope, report: Report): void {
  const { prefill = [], confirm } = form;
  prefill.forEach((name, at) => {
    const field = fields.get(name);
    if (field && !isAsked(form, name)) report(prefill, at, `is no field of the form: ${name}`);
    else if (field && storageOf(field.type) === 'blobs') report(prefill, at, 'is a file field');
  });
  const field = confirm === undefined ? undefined : fields.get(confirm);
  if (confirm === undefined || !field) return;
  if (field.type !== 'email') report(form, 'confirm', `is a field of type ${field.type}, not email`);
  else if (!isAsked(form, confirm)) report(form, 'confirm', `is no field of the form: ${confirm}`);
}

function checkDays({ open = {} }: FormDefinition, report: Report): void {
  for (const [key, day] of Object.entries(open))
    if (!startOfDay(day)) report(open, key, 'is not a date in YYYY-MM-DD format');
  if ((open.from ?? '') > (open.until ?? '9999-12-31')) report(open, 'until', 'is before `from`');
}

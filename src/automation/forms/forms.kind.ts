import { type EntityManager } from 'typeorm';
import { agree, plural } from '../../common/wording.js';
import { type ChangedDefinition, renamesOf } from '../../workflows/model/changed-definition.js';
import { type Effect, effectOf } from '../../workflows/model/effect.js';
import { kind } from '../../workflows/model/kind.js';
import { listSetting } from '../../workflows/model/schema-parts.js';
import { checkForm } from './check-form.js';
import { form } from './form-definition.js';
import { formStatesOf, renameForm, setForms } from './form-states.repository.js';

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
  async begin(tx, { workspaceId, definition, workflowIds, renames }): Promise<void> {
    for (const [workflow, within] of renames.workflows)
      for (const [was, now] of renamesOf(within, 'form')) {
        const workflowId = workflowIds.get(workflow);
        if (workflowId !== undefined) await renameForm(tx, { workspaceId, workflowId, formId: was }, now);
      }
    const wanted = definition.workflows.flatMap((workflow) => {
      const workflowId = workflowIds.get(workflow.id);
      return workflowId === undefined ? [] : forms.in(workflow).map(({ id }) => ({ workflowId, formId: id }));
    });
    await setForms(tx, workspaceId, wanted);
  },
});

async function effectsOfRemovals(db: EntityManager, changed: ChangedDefinition): Promise<Effect[]> {
  const { rows, merged, renames } = changed;
  const states = await formStatesOf(db, rows.workspace.id);
  return states.flatMap(({ workflowId, formId, tokens, quarantined }) => {
    const slug = rows.workflows.find(({ id }) => id === workflowId)?.slug ?? '';
    const now = renamesOf(renames.workflows.get(slug), 'form').get(formId) ?? formId;
    const workflow = merged.workflows.find(({ id }) => id === slug);
    if (!workflow || forms.in(workflow).some(({ id }) => id === now)) return [];
    const name = `${slug} / ${formId}`;
    const addresses = tokens.length;
    const ends = `${addresses} ${agree(addresses, 'address', 'addresses')} of it will answer 404`;
    const remedy = `write was: ${formId} in the form that takes its place`;
    return [
      ...effectOf('notes', 'form', name, addresses, `${ends}: ${remedy}`),
      ...effectOf(
        'loses',
        'form',
        name,
        quarantined,
        `${plural(quarantined, 'post')} in its quarantine will be deleted`,
      ),
    ];
  });
}

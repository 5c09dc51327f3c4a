import { type EntityManager } from 'typeorm';
import { plural } from '../../common/wording.js';
import { type ChangedDefinition } from '../../workflows/model/changed-definition.js';
import { type Effect, effectOf } from '../../workflows/model/effect.js';
import { kind } from '../../workflows/model/kind.js';
import { listSetting } from '../../workflows/model/schema-parts.js';
import { checkForm } from './check-form.js';
import { form } from './form-definition.js';
import { formStatesOf, setForms } from './form-states.repository.js';

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

import { renamesOf } from '../../workflows/model/changed-definition.js';
import { kind } from '../../workflows/model/kind.js';
import { listSetting } from '../../workflows/model/schema-parts.js';
import { checkForm } from './check-form.js';
import { form } from './form-definition.js';
import { renameForm, setForms } from './form-states.repository.js';

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

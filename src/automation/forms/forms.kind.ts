import { kind } from '../../workflows/model/kind.js';
import { listSetting } from '../../workflows/model/schema-parts.js';
import { checkForm } from './check-form.js';
import { form } from './form-definition.js';
import { setForms } from './form-states.repository.js';

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
  async begin(tx, { workspaceId, definition, workflowIds }): Promise<void> {
    const wanted = definition.workflows.flatMap((workflow) => {
      const workflowId = workflowIds.get(workflow.id);
      return workflowId === undefined ? [] : forms.in(workflow).map(({ id }) => ({ workflowId, formId: id }));
    });
    await setForms(tx, workspaceId, wanted);
  },
});

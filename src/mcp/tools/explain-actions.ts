import { type Tool } from '../tool.js';

export const explainActions: Tool = {
  name: 'explain_actions',
  description: 'Lists all actions of a task, with the values that each asks for and its unmet requirements.',
  arguments: {
    workflow: { type: 'string' },
    unique_id: { type: 'string' },
    performed_by: { type: 'string', says: 'E-mail of the user who would act.' },
  },
  required: ['workflow', 'unique_id'],
  hints: { writes: false },
  async run({ services, scope }, given) {
    const within = await scope(given.text('workflow'));
    const performer = given.optional('performed_by');
    const query = { _explain: 'true', ...(performer !== undefined && { performed_by: performer }) };
    const actions = await services.actions.list(within, given.text('unique_id'), query);
    return {
      said: 'An action can be performed if `available` is true.',
      structured: { values: { actions } },
    };
  },
};

import { type Json } from '../../../packages/exact-json/json.js';
import { type Tool } from '../tool.js';

export const commentOnTask: Tool = {
  name: 'comment',
  description: 'Comments on a task. To mention a user, write @ and the e-mail address of the user.',
  arguments: {
    workflow: { type: 'string' },
    unique_id: { type: 'string' },
    body: { type: 'string' },
    performed_by: { type: 'string', says: 'E-mail of the author.' },
    key: { type: 'string', says: 'Idempotency key.' },
  },
  required: ['workflow', 'unique_id', 'body'],
  hints: { writes: true },
  async run({ services, scope }, given) {
    const within = await scope(given.text('workflow'));
    const performer = given.optional('performed_by');
    const payload = new Map<string, Json>([['body', given.text('body')]]);
    if (performer !== undefined) payload.set('performed_by', performer);
    const task = given.text('unique_id');
    const comment = await services.comments.add(within, task, payload, given.key);
    const structured = { values: { comment } };
    return { said: 'The comment was added.', structured };
  },
};

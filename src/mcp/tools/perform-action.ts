import { type Json, type JsonObject } from '../../../packages/exact-json/json.js';
import { type Arguments } from '../arguments.js';
import { type Tool } from '../tool.js';
import { english, messageOfText } from '../../common/message.js';

export const performAction: Tool = {
  name: 'perform_action',
  description:
    'Performs an action on a task and waits up to 25 s for its end. If the status is `Pending`, call again with the same `key`.',
  arguments: {
    workflow: { type: 'string' },
    unique_id: { type: 'string' },
    action: { type: 'string', says: 'The id of the action.' },
    fields: { type: 'object', says: 'Values that the action asks for, by key.' },
    performed_by: { type: 'string', says: 'E-mail of the user who acts.' },
    dry_run: { type: 'boolean', says: 'Only checks whether the action could begin.' },
    key: { type: 'string', says: 'Idempotency key.' },
  },
  required: ['workflow', 'unique_id', 'action'],
  hints: { writes: true, overwrites: true },
  async run({ services, scope }, given) {
    const within = await scope(given.text('workflow'));
    const payload = payloadOf(given);
    if (given.flag('dry_run')) {
      await services.executions.rehearse(within, payload);
      return { said: 'The action could begin; nothing was begun.', structured: { would: 'begin' } };
    }
    const options = { idempotencyKey: given.key, waitMs: WAIT_MS };
    const { id, status, errors } = await services.executions.start(within, payload, options);
    const texts = errors?.map((error) => english(typeof error === 'string' ? messageOfText(error) : error));
    const structured = {
      execution: id,
      status,
      ...(texts && { values: { errors: texts } }),
    };
    const isFailed = status === 'Fail';
    const said = isFailed ? 'The action began and failed; its changes were undone.' : 'See `status`.';
    return { said, structured, ...(isFailed && { isError: true as const }) };
  },
};

/** The maximum wait, as for `Prefer: wait`. */
const WAIT_MS = 25_000;

function payloadOf(given: Arguments): JsonObject {
  const payload = new Map<string, Json>([
    ['task_id', given.text('unique_id')],
    ['action_id', given.text('action')],
  ]);
  for (const name of ['performed_by', 'fields']) {
    const value = given.given.get(name) ?? null;
    if (value !== null) payload.set(name, value);
  }
  return payload;
}

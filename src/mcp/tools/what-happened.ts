import { readParameters } from '../../common/http/query.decorator.js';
import { nowhere } from '../../common/http/paged-list.js';
import { FeedQuery } from '../../events/feed-query.js';
import { type Arguments } from '../arguments.js';
import { firstOf, onward, partOfPage, type Part, withList } from '../cut.js';
import { type Call, type Tool } from '../tool.js';

export const whatHappened: Tool = {
  name: 'what_happened',
  description:
    'Lists events: of a task (`workflow` and `unique_id`), newest first; otherwise of a workflow or of all, oldest first, where `after`: "now" is the end.',
  arguments: {
    workflow: { type: 'string' },
    unique_id: { type: 'string' },
    after: { type: 'string' },
    limit: { type: 'integer', most: 50, says: 'Default 10.' },
  },
  required: [],
  hints: { writes: false },
  async run(call, given) {
    const limit = Number(given.optional('limit') ?? 10);
    const isOfTask = given.optional('unique_id') !== undefined;
    const { shown, next } = await (isOfTask ? ofTask(call, given, limit) : ofAll(call, given, limit));
    const leads = onward('what_happened', given.plain, next);
    return { said: 'The events are in `values`.', structured: { ...shown, ...leads } };
  },
};

type Read = Part & { readonly next: string | undefined };

async function ofTask({ scope, services }: Call, given: Arguments, limit: number): Promise<Read> {
  const within = await scope(given.text('workflow'));
  const after = given.optional('after');
  return partOfPage('events', limit, (most) => {
    const page = { _limit: String(most), ...(after !== undefined && { _after: after }) };
    return services.history.list(within, given.text('unique_id'), page, nowhere);
  });
}

/** The feed always has a next page, where later events will appear. */
async function ofAll({ services, ...call }: Call, given: Arguments, limit: number): Promise<Read> {
  const { principal } = call;
  const workflow = given.optional('workflow');
  if (workflow !== undefined) await call.scope(workflow);
  const asked = { workflow, _after: given.optional('after'), _limit: String(limit) };
  const known = Object.entries(asked).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]]));
  const workspace = await call.workspace();
  const query = readParameters(FeedQuery, new URLSearchParams(known));
  const { events, end } = await services.events.readPage({ workspace, principal }, query);
  const part = firstOf(events.map(({ json }) => ({ at: 'events', value: JSON.parse(json) as unknown })));
  const last = part.count < events.length ? events[part.count - 1] : end;
  return {
    ...withList('events', part),
    next: last && services.feed.cursorOf(workspace, last),
  };
}

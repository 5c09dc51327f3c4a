import { everyType } from '../support/definitions.js';
import { startServiceWith } from '../support/service.js';

const things = '/api/v1/workflows/things';

const { api } = await startServiceWith(everyType, { WTS_ROLE: 'api' });

describe('a 404 within the workspace of the key says what was not found and what exists', () => {
  beforeAll(async () => {
    await api.post(`${things}/tasks`, { ID: '1' }).expect(201);
    await api.post('/api/v1/workflows/parts/tasks', { 'Part ID': 'P' }).expect(201);
  });

  const detailOf = ({ body }: { body: unknown }): unknown => (body as { detail?: unknown }).detail;
  it.each([
    ['nowhere/tasks', 'No workflow `nowhere` in this workspace; it has: things, parts.'],
    ['things/tasks/2', 'No task `2` in workflow `things`; its tasks are named by their `ID`.'],
    ['things/tasks/2/actions', 'No task `2` in workflow `things`; its tasks are named by their `ID`.'],
    ['things/tasks/2/comments', 'No task `2` in workflow `things`; its tasks are named by their `ID`.'],
    ['things/tasks/1/links/parts', 'No relationship `parts` in workflow `things`; it has: Parts.'],
    ['things/tasks/1/checklist_items/x', 'No checklist item `x` on task `1`.'],
    ['things/executions/x', 'No execution `x` in workflow `things`.'],
    ['things/executions?task_id=2', 'No task `2` in workflow `things`; its tasks are named by their `ID`.'],
    ['things/users/x', 'No user `x` works in workflow `things`.'],
    // Its id tells nothing of where it could be.
    ['../files/x', 'There is nothing here that this key can see.'],
    [`things/tasks/${'x'.repeat(200)}`, `No task \`${'x'.repeat(100)}…\` in workflow \`things\`; its tasks are named by their \`ID\`.`], // prettier-ignore
    ['things/tasks/%00', 'There is nothing here that this key can see.'],
    ['things/task', `No path \`${things}/task\`; \`/docs\` describes all paths.`],
    ['things/tasks/', `No path \`${things}/tasks/\`; did you mean \`${things}/tasks\`?`],
    ['things//tasks/A', `No path \`/api/v1/workflows/things//tasks/A\`; did you mean \`${things}/tasks/A\`?`],
    ['things/tasks/A/B', `No path \`${things}/tasks/A/B\`; \`/docs\` describes all paths.`],
  ])('GET /api/v1/workflows/%s', async (path, detail) => {
    const to = path.startsWith('../') ? `/api/v1/${path.slice(3)}` : `/api/v1/workflows/${path}`;
    expect(detailOf(await api.get(to).expect(404))).toBe(detail);
  });

  it('of a page, with a key: where the paths for keys are', async () => {
    const { body } = await api.get('/workflows/things/tasks/1').expect(401);
    expect(detailOf({ body })).toBe('Pages need a signed-in user; API keys are for paths below `/api/v1`.');
  });

  it('422 suggests the parameter that was meant: in other letters, or as other APIs call it', async () => {
    const link = 'did you mean _after? The header Link has the next page';
    const field = 'is not a field of this workflow';
    const query = '_offset=1&page=2&limit=5&order_by=ID&stage=New&long_text[ne]=x&colour=1';
    await api.get(`${things}/tasks?${query}`).expect(422, {
      errors: {
        _offset: [`${field}; ${link}`],
        page: [`${field}; ${link}`],
        limit: [`${field}; did you mean _limit?`],
        order_by: [`${field}; did you mean _sort?`],
        stage: [`${field}; did you mean Stage?`],
        'long_text[ne]': [`${field}; did you mean Long Text?`],
        colour: [field],
      },
    });
    await api.get(`${things}/executions?offset=1&sort=x&taskId=1&task=1`).expect(422, {
      errors: {
        offset: [`is not a parameter here; ${link}`],
        sort: ['is not a parameter here'],
        taskId: ['is not a parameter here; did you mean task_id?'],
        task: ['is not a parameter here; did you mean task_id?'],
      },
    });
    const sent = { ID: '3', stage: 'New', longText: 'x', contrakt: [] };
    expect(await api.refusal(`${things}/tasks`, sent)).toEqual({
      stage: [`${field}; did you mean Stage?`],
      longText: [`${field}; did you mean Long Text?`],
      contrakt: [`${field}; did you mean Contract?`],
    });
  });

  it.each([
    [`${things}/tasks/1/comments`, 'text', 'is not a key of a comment; did you mean body?'],
    [`${things}/tasks/1/comments`, 'actor', 'is not a key of a comment; did you mean performed_by?'],
    [`${things}/tasks/1/checklist_items`, 'Titel', 'is not a key of a checklist item; did you mean title?'],
    [`${things}/tasks/1/approvals`, 'action', 'is not a key of a decision; did you mean action_id?'],
  ])('422 of a body of fixed shape does the same: %s %s', async (path, name, reason) => {
    expect(await api.refusal(path, { [name]: 'x' })).toMatchObject({ [name]: [reason] });
  });
});

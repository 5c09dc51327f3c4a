import { everyType } from '../support/definitions.js';
import { type Client, startService, type TestService } from '../support/service.js';

const things = '/api/v1/workflows/things';
const many = Array.from({ length: 32 }, (_, at) => `      - { id: ${at === 0 ? 'a'.repeat(64) : `go-${at}`}, name: Go ${at}, steps: [{ name: Go, type: move_to_stage, stage: Open }] }`); // prettier-ignore
const acme = everyType.replace(
  '    stages: [{ name: Open }]\n',
  `    stages: [{ name: Open }]\n    actions:\n${many.join('\n')}\n`,
);

describe('a 404 within the workspace of the key says what was not found and what there is', () => {
  let service: TestService;
  let api: Client;

  beforeAll(async () => {
    service = await startService({ WTS_ROLE: 'api' });
    await service.apply(acme);
    api = service.client(await service.key('acme'));
    await api.post(`${things}/tasks`, { ID: '1' }).expect(201);
    await api.post('/api/v1/workflows/parts/tasks', { 'Part ID': 'P' }).expect(201);
  });
  afterAll(() => service.stop());

  const detailOf = ({ body }: { body: unknown }): unknown => (body as { detail?: unknown }).detail;
  const refusalOf = async (path: string): Promise<unknown> =>
    (await api.get(path).expect(422)).body as unknown;

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
  ])('GET /api/v1/workflows/%s', async (path, detail) => {
    const to = path.startsWith('../') ? `/api/v1/${path.slice(3)}` : `/api/v1/workflows/${path}`;
    expect(detailOf(await api.get(to).expect(404))).toBe(detail);
  });

  it('so do writes', async () => {
    expect(detailOf(await api.put(`${things}/tasks`, { ID: '2' }).expect(404))).toMatch(/^No task `2` in workflow `things`/); // prettier-ignore
    expect(detailOf(await api.delete(`${things}/tasks/2`).expect(404))).toMatch(/^No task `2` /);
    expect(detailOf(await api.put(`${things}/tasks/1/links/Parts/Q`).expect(404))).toBe('No task `Q` in the workflow that `Parts` leads to.'); // prettier-ignore
    expect(detailOf(await api.delete(`${things}/tasks/1/links/Parts/P`).expect(404))).toBe('Task `1` is not linked to `P` by `Parts`.'); // prettier-ignore
    expect(detailOf(await api.delete(`${things}/tasks/1/attachments/Text/x`).expect(404))).toBe('No file field `Text` in workflow `things`; it has: Contract.'); // prettier-ignore
    expect(detailOf(await api.delete(`${things}/tasks/1/attachments/Contract/x`).expect(404))).toBe('No attachment `x` in `Contract` of task `1`.'); // prettier-ignore
    const start = { task_id: '1', action_id: 'go' };
    expect(detailOf(await api.post(`${things}/executions`, start).expect(404))).toBe('No action `go` in workflow `things`; it has none.'); // prettier-ignore
  });

  it('a long list shows 20 names', async () => {
    const start = { task_id: 'P', action_id: 'go' };
    const { body } = await api.post('/api/v1/workflows/parts/executions', start).expect(404);
    const shown = ['a'.repeat(64), ...Array.from({ length: 19 }, (_, at) => `go-${at + 1}`)].join(', ');
    expect(detailOf({ body })).toBe(`No action \`go\` in workflow \`parts\`; it has: ${shown} and 12 more.`);
  });

  it('of a path: the wrong version, a slash at its end, what there is instead', async () => {
    const cases: readonly (readonly [string, string])[] = [
      ['/api/v2/workflows/things/tasks', 'Did you mean `/api/v1/workflows/things/tasks`? This service speaks version 1 only.'], // prettier-ignore
      ['/api/workflows/things/tasks/1', 'Did you mean `/api/v1/workflows/things/tasks/1`? This service speaks version 1 only.'], // prettier-ignore
      ['/v1/workspace', 'Did you mean `/api/v1/workspace`? This service speaks version 1 only.'],
      [
        `${things}/tasks/`,
        `Did you mean \`${things}/tasks\`? A path has no slash at its end and no two in a row.`,
      ],
      [
        `${things}//tasks`,
        `Did you mean \`${things}/tasks\`? A path has no slash at its end and no two in a row.`,
      ],
      [`${things}/task`, `No path \`${things}/task\`; below \`${things}\` there is: executions, fields, openapi.json, roles, rules, schedules, stages, tasks, users.`], // prettier-ignore
      [`${things}/tasks/A/B`, `No path \`${things}/tasks/A/B\`; below \`${things}/tasks/A\` there is: actions, approvals, attachments, checklist_items, clocks, comments, history, links, runs, timers. A slash within an id is sent as \`%2F\`.`], // prettier-ignore
      [`${things}/tasks/1/links`, `No path \`${things}/tasks/1/links\`; below \`${things}/tasks/1/links\` there is: {relationship}.`], // prettier-ignore
      ['/api/v3', 'No path `/api/v3`; below `/api` there is: v1.'],
      [`${things}/tasks/%ff`, 'There is nothing here that this key can see.'],
    ];
    for (const [path, detail] of cases)
      expect([path, detailOf(await api.get(path).expect(404))]).toEqual([path, detail]);
  });

  it('of a page, with a key: where the paths of keys are', async () => {
    const { body } = await api.get('/workflows/things/tasks/1').expect(401);
    expect(detailOf({ body })).toBe('Pages need a signed-in user; API keys are for paths below `/api/v1`.');
  });

  it('405 names the request that was meant', async () => {
    const tasks = `${things}/tasks`;
    expect(detailOf(await api.put(`${tasks}/1`, {}).expect(405))).toBe(
      `Only GET, DELETE, HEAD are allowed here; \`PUT ${tasks}\` takes the id in its body.`,
    );
    expect(detailOf(await api.post(`${tasks}/1`, {}).expect(405))).toMatch(/`POST \S+\/tasks` takes the id/);
    expect(detailOf(await api.post(`${tasks}/1/checklist_items/x`, {}).expect(405))).toMatch(/; PUT changes the fields that its body names\.$/); // prettier-ignore
    expect(detailOf(await api.post(`${tasks}/1/actions`, {}).expect(405))).toMatch(/a POST to `\/executions` of the workflow performs one\.$/); // prettier-ignore
    expect(detailOf(await api.delete(`${tasks}/1/checklist_items`).expect(405))).toMatch(
      /`DELETE \S+\/checklist_items\/\{id\}` deletes one\.$/,
    );
  });

  it('of a definition: who changes it', async () => {
    for (const path of ['/api/v1/workflows', things, `${things}/fields`])
      for (const answer of [api.post(path, {}), api.put(path, {}), api.delete(path)])
        expect(detailOf(await answer.expect(405))).toBe('Only GET, HEAD are allowed here; workflows are changed by `wts apply`.'); // prettier-ignore
  });

  it('400 names the request that was meant', async () => {
    const [one, many] = [`${things}/tasks`, `${things}/tasks/batch`];
    expect(detailOf(await api.post(one, '[{"ID":"1"}]').expect(400))).toBe('The body must be a JSON object; send several tasks to `/tasks/batch`.'); // prettier-ignore
    expect(detailOf(await api.post(many, '{"ID":"1"}').expect(400))).toBe('The body must be a JSON array, or lines of JSON (application/x-ndjson).'); // prettier-ignore
    expect(detailOf(await api.post(many, '{"ID":"1"}\n{"ID":"2"}').expect(400))).toBe('The JSON is malformed at character 12; lines of JSON need Content-Type: application/x-ndjson.'); // prettier-ignore
  });

  it('422 shows how several values are asked for', async () => {
    const { body } = await api.get(`${things}/tasks`).query({ Stage: 'New,New' }).expect(422);
    expect(body).toEqual({ errors: { Stage: [expect.stringMatching(/; several values: Stage=New&Stage=New$/)] } }); // prettier-ignore
  });

  it('422 names the parameter that was meant: in other letters, or as others call it', async () => {
    const link = 'did you mean _after? The header Link has the next page';
    const field = 'is not a field of this workflow';
    expect(
      await refusalOf(
        `${things}/tasks?_offset=1&page=2&limit=5&order_by=ID&stage=New&long_text[ne]=x&colour=1`,
      ),
    ).toEqual({
      // prettier-ignore
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
    expect(await refusalOf(`${things}/executions?offset=1&sort=x&taskId=1&task=1`)).toEqual({
      errors: {
        offset: [`is not a parameter here; ${link}`],
        sort: ['is not a parameter here'],
        taskId: ['is not a parameter here; did you mean task_id?'],
        task: ['is not a parameter here; did you mean task_id?'],
      },
    });
    const { body } = await api
      .post(`${things}/tasks`, { ID: '3', stage: 'New', longText: 'x', contrakt: [] })
      .expect(422);
    expect(body).toEqual({
      errors: {
        stage: [`${field}; did you mean Stage?`],
        longText: [`${field}; did you mean Long Text?`],
        contrakt: [`${field}; did you mean Contract?`],
      },
    });
  });
});

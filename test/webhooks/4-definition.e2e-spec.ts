import { definition, hooks, startSetting, tasks } from './webhooks.js';

const setting = await startSetting();
const { api } = setting;

describe('webhooks in definitions, and by the API', () => {
  const withWebhook = (lines: string): string => `${definition}\nwebhooks:\n${lines}`;

  it('"In the definition file … (those of a definition are 409 `managed-by-definition` there)"', async () => {
    const yaml = withWebhook(`
  - id: billing
    url: ${setting.receiver.url}/billing
    events: [task.created]
    workflows: [vendors]
    when: 'task["Value"] > 1000'
    headers: { X-Team: '{{secret.TEAM}}' }`);
    await setting.service.apply(yaml);
    expect(await api.read(`${hooks}/billing`)).toEqual({
      id: 'billing',
      url: `${setting.receiver.url}/billing`,
      events: ['task.created'],
      workflows: ['vendors'],
      when: 'task["Value"] > 1000',
      headers: { 'X-Team': '{{secret.TEAM}}' },
      state: 'active',
      managed_by: 'definition',
      failing_since: null,
    });
    const { body } = await api.delete(`${hooks}/billing`).expect(409);
    expect(body).toMatchObject({ type: 'managed-by-definition' });
    await api.put(`${hooks}/billing`, { url: 'https://x.test/', events: ['task.created'] }).expect(409);
    await api.post(tasks, { ID: 'small', Value: 1 }).expect(201);
    await api.post(tasks, { ID: 'large', Value: 1001 }).expect(201);
    expect(await setting.told('/billing')).toMatchObject([{ data: { task: { unique_id: 'large' } } }]);
  });

  it.each([
    ['url: "https://x.test/", events: [task.moved]', /events\[0\]: is not one of/],
    [
      'url: "https://x.test/", events: [task.updated], workflows: [vendors], when: "before.Valu == null"',
      /reads an unknown field/,
    ],
    ['url: "https://x.test/", events: [task.updated], headers: { Authorization: x }', /is written out/],
  ])('refuses %s', async (lines, message) => {
    await expect(setting.service.apply(withWebhook(`  - { id: bad, ${lines} }`))).rejects.toThrow(message);
  });

  it('"Unknown workflows, fields, types and expressions that do not compile are 422", "a duplicate is 409"', async () => {
    const { body } = await api.post(hooks, {
      url: 'https://u:p@x.test/',
      events: ['task.moved'],
      workflows: ['vendor'],
      headers: { host: 'x' },
      state: 'paused',
    }).expect(422); // prettier-ignore
    expect(body).toEqual({
      errors: {
        state: ['is not a key of a webhook'],
        events: [expect.stringMatching(/^is not a type of event: task.moved; there are: task.created, /)],
        url: ['is not a web address that begins with https:// or http:// and has no password'],
        workflows: ['is not a workflow of this workspace: vendor; did you mean vendors?'],
        headers: ['host: is a header that the service sets'],
      },
    });
    const wanted = { id: 'twice', url: 'https://x.test/', events: ['task.created'] };
    await api.post(hooks, wanted).expect(201);
    await api.post(hooks, wanted).expect(409);
    const fault = async (more: object): Promise<unknown> =>
      api.refusal(hooks, { ...wanted, id: 'bad', ...more });
    expect(await fault({ workflows: ['vendors'], when: 'task.Nothing == 1' })).toMatchObject({
      when: [expect.stringContaining('reads an unknown field')],
    });
    for (const more of [{}, { workflows: ['vendors', 'others'] }])
      expect(await fault({ ...more, when: 'task.Value == 1' })).toEqual({
        when: ['needs exactly one workflow in `workflows`, whose tasks it reads'],
      });
    await api.put(`${hooks}/twice`, { ...wanted, workflows: ['vendors'] }).expect(200);
    const { body: shown } = await api.put(`${hooks}/twice`, wanted).expect(200);
    expect(shown).toMatchObject({ workflows: null, managed_by: 'api' });
    await api.post(`${hooks}/twice/replay`, { state: 'failed' }).expect(422);
    await api.get(`${hooks}/none`).expect(404);
    await api.delete(`${hooks}/twice`).expect(204);
  });

  it('notes a webhook of the API whose field is renamed, and sends it every event until a PUT', async () => {
    const own = { events: ['task.created'], workflows: ['vendors'] };
    const id = await setting.subscribe('renamed', { ...own, when: 'task["Value"] > 1000' });
    await setting.service.apply(definition.replace('name: Value,', 'name: Worth, was: Value,'), {
      isPruning: true,
      allowsDataLoss: true,
    });
    await api.post(tasks, { ID: 'cheap', Worth: 1 }).expect(201);
    expect(await setting.told('/renamed')).toMatchObject([{ data: { task: { unique_id: 'cheap' } } }]);
    const url = `${setting.receiver.url}/renamed/end`;
    await api.put(`${hooks}/${id}`, { ...own, url, when: 'task["Worth"] > 1000' }).expect(200);
    await api.post(tasks, { ID: 'cheaper', Worth: 1 }).expect(201);
    expect(await setting.told('/renamed')).toHaveLength(1);
    const back = definition.replace('name: Value,', 'name: Value, was: Worth,');
    expect((await setting.service.plan(back)).effects).toMatchObject([
      {
        ...{ kind: 'notes', what: 'field', name: 'vendors / Worth', count: 1 },
        message: `webhook ${id} of the API reads it, and gets every event until a PUT replaces its \`when\``,
      },
    ]);
    const taken = back.replace('fields:', 'fields:\n      - { name: Worth, type: number }');
    expect((await setting.service.plan(taken)).effects[0]?.message).toMatch(
      / will read the new field until /,
    );
  });
});

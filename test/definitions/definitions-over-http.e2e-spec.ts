import { type Response, type Test } from 'supertest';
import { listApiKeys } from '../../src/access/api-keys.js';
import { blocked } from '../support/blocked.js';
import { type Client, startServiceWith } from '../support/service.js';

const path = '/api/v1/definition';
const tasks = '/api/v1/workflows/things/tasks';

// Each test has a workspace of its own.
let acme = '';

const document = (fields: string, name = 'Things', id = acme): string => `
workspace: { id: ${id}, name: Acme }
workflows:
  - id: things
    name: ${name}
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }, ${fields}]
    actions: [{ id: close, name: Close, steps: [{ name: Close, type: move_to_stage, stage: Done }] }]
`;
const note = '{ name: Note, type: text }';
const first = (): string => document(note);
const second = (): string => document(`${note}, { name: Risk, type: singleSelect, options: [Low, High] }`);

const { service } = await startServiceWith([]);

describe('definitions over HTTP', () => {
  let api: Client;
  let key: string;
  let keyId: string;
  let count = 0;

  beforeEach(async () => {
    acme = `acme-${(count += 1)}`;
    await service.apply(first());
    key = await service.key(acme, 'admin');
    api = service.client(key);
    keyId = (await listApiKeys(service.dataSource.manager)).at(-1)?.id ?? '';
  });

  const send = (verb: string, yaml: string, query = ''): Test =>
    api.post(`${path}/${verb}${query}`).set('Content-Type', 'application/yaml').send(yaml);

  it('a plan says what apply would do, and writes nothing', async () => {
    const { body, headers } = await send('plan', second()).expect(200);
    expect(body).toEqual({
      workspace: acme,
      version: 1,
      changes: [{ kind: 'add', what: 'field', name: 'things / Risk' }],
      effects: [],
      kept: [],
      refusals: [],
    });
    expect(headers).toMatchObject({ etag: '"1"' });
    const { body: same } = await send('plan', first()).expect(200);
    expect(same).toMatchObject({ version: 1, changes: [] });
    const noted = await send('plan', document('{ name: Memo, was: Nota, type: text }')).expect(200);
    const turned = await send('plan', first().replace(/\[(\{ name: New \}), (.*)\]/, '[$2, $1]')).expect(200);
    expect(turned.body).toMatchObject({ effects: [{ message: 'initial stage New → Done' }] });
    expect(noted.body).toMatchObject({ changes: [{ kind: 'add', detail: 'was: Nota renames nothing' }] });
  });

  it('apply puts it in force, by this key and request; a second apply changes nothing', async () => {
    const changes = [{ kind: 'add', what: 'field', name: 'things / Risk' }];
    const { body, headers } = await send('apply', second()).set('X-Request-Id', 'pipeline-7').expect(200);
    expect([body, headers]).toMatchObject([{ version: 2, changes }, { etag: '"2"' }]);
    await api.post(tasks, { ID: 'T-1', Risk: 'Low' }).expect(201);
    expect((await send('apply', second()).expect(200)).body).toMatchObject({ version: 2, changes: [] });
    const events = await api.read<object[]>('/api/v1/events?type=definition.applied');
    const actor = { kind: 'definition', version: 2, name: `key test (${keyId})` };
    expect(events.at(-1)).toMatchObject({ data: { actor, request_id: 'pipeline-7' } });
  });

  it('is read as YAML or JSON, by the header Accept; applying the answer changes nothing', async () => {
    const json = await api.get(path).expect(200);
    expect(json.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      etag: '"1"',
      vary: 'Accept',
    });
    expect(json.body).toMatchObject({ workspace: { id: acme, name: 'Acme' } });
    const yaml = await api.get(path).set('Accept', 'application/yaml').buffer(true).expect(200);
    expect(yaml.headers['content-type']).toBe('application/yaml; charset=utf-8');
    expect(yaml.text).toMatch(/^workspace: \{ id: acme-\d+, name: Acme/);
    await api.get(path).set('If-None-Match', '"1"').expect(304);
    for (const text of [JSON.stringify(json.body), yaml.text])
      expect((await send('apply', text).expect(200)).body).toMatchObject({ version: 1, changes: [] });
    expect((await api.post(`${path}/plan`, json.body as object).expect(200)).body).toMatchObject({
      changes: [],
    });
  });

  it('applies only to the version in If-Match: 412 names the current version', async () => {
    const plan = await send('plan', second()).expect(200);
    await service.apply(document(note, 'Other things'));
    for (const verb of ['plan', 'apply']) {
      const { body } = await send(verb, second()).set('If-Match', String(plan.headers['etag'])).expect(412);
      expect(body).toMatchObject({
        detail: 'The definition in force is version 2: plan again with its new ETag.',
      });
    }
    await send('apply', second()).set('If-Match', 'W/"1"').expect(412);
    await send('apply', second()).set('If-Match', '"1", W/"2"').expect(200);
    await send('apply', second()).set('If-Match', '*').expect(200);
  });

  it('checks the version when nobody else can change it', async () => {
    let answered: Promise<Response> | undefined;
    await service.dataSource.transaction(async (other) => {
      await other.query('UPDATE workspaces SET version = 2 WHERE slug = $1', [acme]);
      answered = send('apply', second())
        .set('If-Match', '"1"')
        .then((answer) => answer);
      await blocked(service.dataSource);
    });
    expect((await answered)?.status).toBe(412);
  });

  it('a wrong document is 422 with its faults and their places, and changes nothing', async () => {
    const wrong = document('{ name: Note, type: txt }, { name: ID, type: text }');
    for (const verb of ['plan', 'apply']) {
      const { body } = await send(verb, wrong).expect(422);
      const { errors, faults } = body as { errors: object; faults: object[] };
      expect(Object.keys(errors)).toEqual(expect.arrayContaining(['workflows[0].fields[1].type']));
      expect(faults[0]).toMatchObject({ path: 'workflows[0].fields[1].type', line: 7 });
    }
    const twin = first().replace('{ name: New }, { name: Done,', '{ name: Done, was: New,');
    const taken = 'cannot rename New, because Done exists already; leave `was` out to keep both';
    const errors = { 'workflows[0].stages[0].was': [taken] };
    expect((await send('apply', twin).expect(422)).body).toMatchObject({ errors });
    const { body } = await send('plan', 'workspace: [').expect(422);
    expect(body).toMatchObject({ faults: [{ path: '', line: 1 }] });
    await api.get(path).expect('ETag', '"1"');
  });

  it('a loss of task data is refused with the plan, unless allow-data-loss is set', async () => {
    await api.post(tasks, { ID: 'T-1', Note: 'Kept?' }).expect(201);
    const without = document('{ name: Other, type: text }');
    expect((await send('plan', without).expect(200)).body).toMatchObject({ refusals: [] });
    const planned = await send('plan', without, '?prune=true').expect(200);
    const refusals = [expect.stringMatching(/^field things \/ Note: 1 /)];
    expect(planned.body).toMatchObject({ refusals });
    const refused = await send('apply', without, '?prune=true').expect(422);
    expect(refused.body).toMatchObject({ errors: { base: refusals }, plan: { version: 1, refusals } });
    await send('apply', without, '?prune=true&allow-data-loss=true').expect(200);
    expect(await api.read(`${tasks}/T-1`)).not.toHaveProperty('Note');
  });

  it('reveals nothing of another workspace, and creates no workspace', async () => {
    await service.apply(document('{ name: Secret, type: text }', 'Theirs', 'other'));
    for (const id of ['other', 'nobodys'])
      for (const verb of ['plan', 'apply']) {
        const { body } = await send(verb, document(note, 'Mine', id)).expect(422);
        const message = `must be the workspace of the key, ${acme}`;
        expect(body).toEqual({
          errors: { 'workspace.id': [message] },
          faults: [{ path: 'workspace.id', line: 2, message }],
        });
      }
    const rows = await service.dataSource.query<object[]>(
      'SELECT slug, version FROM workspaces WHERE slug IN ($1, $2, $3) ORDER BY slug',
      [acme, 'other', 'nobodys'],
    );
    expect(rows).toEqual([
      { slug: acme, version: 1 },
      { slug: 'other', version: 1 },
    ]);
  });

  it('refuses an unknown parameter, another media type and a body that is not text', async () => {
    const { body } = await send('apply', second(), '?allow_data_loss=true&prune=yes').expect(422);
    expect(body).toEqual({
      errors: {
        allow_data_loss: [expect.stringContaining('allow-data-loss')],
        prune: ['is not true or false'],
      },
    });
    await api.post(`${path}/plan`).set('Content-Type', 'text/plain').send(second()).expect(415);
    await api.post(`${path}/plan`).set('Content-Type', 'application/json').send('{').expect(400);
    await api
      .post(`${path}/plan`)
      .set('Content-Type', 'application/yaml')
      .send(Buffer.from([0xff]))
      .expect(400);
  });

  it('takes at most 200,000 characters, and says where to apply a larger document', async () => {
    const filled = (length: number): string => `${first()}#`.padEnd(length, 'ü');
    await send('plan', filled(200_000)).expect(200);
    for (const length of [200_001, 1_000_000]) {
      const { body } = await send('apply', filled(length)).expect(413);
      expect(body).toMatchObject({
        detail:
          'The definition is longer than 200000 characters: use the command wts apply, which writes to the database directly.',
      });
    }
  });

  it('names the elements that the document leaves out, which only pruning removes', async () => {
    await send('apply', `${second()}users: [{ email: theo@x.test }]`).expect(200);
    const kept = [
      { what: 'user', name: 'theo@x.test' },
      { what: 'field', name: 'things / Risk' },
    ];
    expect((await send('plan', first()).expect(200)).body).toMatchObject({ changes: [], kept });
    const { body } = await send('plan', first(), '?prune=true').expect(200);
    expect(body).toMatchObject({ kept: [], changes: [{ kind: 'change' }, { kind: 'remove' }] });
  });

  describe('the history', () => {
    const history = async (query = ''): Promise<{ version: number }[]> =>
      (await api.get(`${path}/history${query}`).expect(200)).body as { version: number }[];

    it('lists the applied versions with author and time, newest first, in pages', async () => {
      await send('apply', second(), '?author=mina%20by%200a1b2c').expect(200);
      expect(await history()).toEqual([
        {
          version: 2,
          applied_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
          applied_by: `key test (${keyId}): mina by 0a1b2c`,
          changes: [{ kind: 'add', what: 'field', name: 'things / Risk' }],
        },
        expect.objectContaining({ version: 1 }),
      ]);
      expect(await history('?before=2')).toMatchObject([{ version: 1 }]);
      for (let at = 3; at <= 22; at += 1) await service.apply(document(note, `Things ${at}`));
      const versions = (await history()).map(({ version }) => version);
      expect([versions.length, versions.at(0), versions.at(-1)]).toEqual([20, 22, 3]);
    });

    it('refuses an author of two lines, and a version that is not a number', async () => {
      const errors = { author: ['is not one line of 1 to 200 characters'] };
      for (const author of ['a%0Ab', '', 'x'.repeat(201)])
        await send('apply', second(), `?author=${author}`).expect(422, { errors });
      await api.get(`${path}/history?before=one`).expect(422);
    });
  });

  describe('a rollback', () => {
    const rollback = (query: string): Test => api.post(`${path}/rollback?${query}`);
    // Two stages whose names move on, so that one is called as another was.
    const renamed = (): string =>
      document('{ name: Remarks, was: Note, type: text }')
        .replace('name: New', 'name: Done, was: New')
        .replace('name: Done, end', 'name: Over, was: Done, end')
        .replace('stage: Done', 'stage: Over');

    it('restores the earlier definition as a new version, and renames elements back', async () => {
      const task = { ID: 'T-1', Stage: 'Done', Note: 'Kept' };
      await api.post(tasks, task).expect(201);
      await send('apply', renamed()).expect(200);
      const changes = [
        { kind: 'rename', what: 'stage', name: 'things / Done', detail: 'New' },
        { kind: 'rename', what: 'stage', name: 'things / Over', detail: 'Done' },
        { kind: 'rename', what: 'field', name: 'things / Remarks', detail: 'Note' },
      ];
      const planned = await rollback('to=1&dry_run=true').expect(200);
      expect([planned.body, planned.headers]).toMatchObject([{ version: 2, changes }, { etag: '"2"' }]);
      const done = await rollback('to=1&author=mina').set('If-Match', '"2"').expect(200);
      expect([done.body, done.headers]).toMatchObject([{ version: 3, changes }, { etag: '"3"' }]);
      expect(await api.read(`${tasks}/T-1`)).toMatchObject(task);
      const [version] = (await api.get(`${path}/history`).expect(200)).body as object[];
      expect(version).toMatchObject({ version: 3, applied_by: `key test (${keyId}): mina` });
    });

    it('refuses what apply refuses: a loss, a dropped version, and a version that never existed', async () => {
      await send('apply', second()).expect(200);
      await api.post(tasks, { ID: 'T-1', Risk: 'Low' }).expect(201);
      const refusals = [expect.stringMatching(/^field things \/ Risk: 1 .* deleted for good/)];
      const refused = await rollback('to=1').expect(422);
      expect(refused.body).toMatchObject({ errors: { base: refusals }, plan: { version: 2, refusals } });
      await rollback('to=1&allow-data-loss=true').set('If-Match', '"1"').expect(412);
      expect((await rollback('to=9').expect(422)).body).toEqual({
        errors: { to: ['is not a version in the history'] },
      });
      for (const query of ['', 'to=0', 'to=1&prune=true', 'to=1&dry_run=yes'])
        await rollback(query).expect(422);
      await rollback('to=1&allow-data-loss=true').expect(200);
    });
  });
});

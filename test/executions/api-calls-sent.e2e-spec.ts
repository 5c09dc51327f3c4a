import { readConfig } from '../../src/config.js';
import { Secrets } from '../../src/access/secrets.js';
import {
  api,
  cases,
  create,
  end,
  executions,
  failed,
  lines,
  only,
  perform,
  read,
  receiver,
  service,
  type Shown,
  start,
  success,
} from './calling.js';

describe('requests', () => {
  it('POST by default, of {"action","action_id","user","task"}, with the task as after earlier steps', async () => {
    await api.post('/api/v1/workflows/parts/tasks', { Part: 'p1' }).expect(201);
    expect(await perform('call', 'sent', { Parts: [{ Part: 'p1' }], Tags: ['B'] }, 'mina@acme.test')).toEqual(success); // prettier-ignore
    const call = await only('/sent');
    expect([call.method, call.path, call.headers['content-type']]).toEqual(['POST', '/sent', 'application/json']); // prettier-ignore
    const { user, ...rest } = JSON.parse(call.body) as { user: Shown };
    expect(user).toEqual({ id: expect.stringMatching(/./) as unknown, email: 'mina@acme.test', first_name: 'Mina', last_name: 'Ray' }); // prettier-ignore
    const task = await read('sent');
    expect(task).toMatchObject({ Stage: 'Busy', Parts: [{ Part: 'p1' }] });
    expect(rest).toEqual({ action: 'Do call', action_id: 'call', task });
  });

  it('`user` is null if the key itself acts', async () => {
    expect(await perform('call', 'key')).toEqual(success);
    expect(JSON.parse((await only('/key')).body)).toMatchObject({ user: null });
  });

  it.each(['GET', 'PUT'])('method: %s, with the same body except for GET', async (method) => {
    expect(await perform(method.toLowerCase(), method)).toEqual(success);
    const { method: sent, body } = await only(`/${method}`);
    expect(sent).toBe(method);
    if (method === 'GET') expect(body).toBe('');
    else expect(JSON.parse(body)).toMatchObject({ task: { ID: method } });
  });

  it('templates in URL, headers and body; values in a URL are percent-encoded', async () => {
    const further = { Title: 'a/b c?d=é&#%', Note: 'x y\n{{Title}}', Tags: ['A', 'B'], 'Assigned To': 'mina@acme.test' }; // prettier-ignore
    expect(await perform('templates', 'tmpl', further)).toEqual(success);
    const call = await only('/tmpl/');
    const path = '/tmpl/a%2Fb%20c%3Fd%3D%C3%A9%26%23%25?note=x%20y%0A%7B%7BTitle%7D%7D&tags=A%2C%20B';
    expect(call.path).toBe(path);
    expect(call.headers).toMatchObject({
      'x-title': 'of a/b c?d=é&#%',
      'x-url': (await read('tmpl'))['Task URL'],
      'content-type': 'text/csv',
    });
    expect(call.body).toBe('Case tmpl of mina@acme.test: a/b c?d=é&#% 10.50|x y\n{{Title}}|');
  });

  it.each(['.', '..'])('a value of %s leads to no other path', async (Title) => {
    const ended = await perform('templates', `dots${Title.length}`, { Title });
    expect(ended).toEqual(failed('its path contains . or .. as a segment'));
    expect(receiver.of('/dots')).toEqual([]);
    expect(receiver.calls.filter(({ path }) => path.startsWith('/?'))).toEqual([]);
  });

  it('fields that templates repeat to more than 16 MB are not sent', async () => {
    const ended = await perform('manifold', 'manifold', { Note: 'x'.repeat(100_000) });
    expect(ended).toEqual(failed('the fields that the call names exceed 16 MB in total'));
    expect(receiver.of('/manifold')).toEqual([]);
  });

  it('a task of more than 16 MB with linked tasks is not sent, but an own body is', async () => {
    await api.post('/api/v1/workflows/parts/tasks', { Part: 'part of vast' }).expect(201);
    await create('vast', { Parts: [{ Part: 'part of vast' }] });
    await service.dataSource.query(`
        WITH made AS (
          INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, field_values)
          SELECT workspace_id, workflow_id, public_id || n, unique_value || n, stage_id, is_active,
            field_values || jsonb_build_object(
              (SELECT id FROM fields f WHERE f.workspace_id = t.workspace_id AND f.name = 'Remarks'), repeat('x', 1000000))
          FROM tasks t, generate_series(1, 17) n WHERE unique_value = 'part of vast'
          RETURNING workspace_id, workflow_id, id
        )
        INSERT INTO links (workspace_id, relationship_id, kind, from_workflow_id, from_id, to_workflow_id, to_id)
        SELECT m.workspace_id, l.relationship_id, l.kind, l.from_workflow_id, l.from_id, m.workflow_id, m.id
        FROM made m JOIN links l ON l.workspace_id = m.workspace_id AND l.to_workflow_id = m.workflow_id
        JOIN tasks t ON t.id = l.from_id AND t.unique_value = 'vast'`);
    const tooLarge =
      'the task that the call sends is larger than 16 MB. A body in the step can name parts of it';
    expect(await end(await start('call', 'vast'))).toEqual(failed(tooLarge));
    expect(await end(await start('brief', 'vast'))).toEqual(success);
    expect(JSON.parse((await only('/vast')).body)).toEqual({ id: 'vast' });
  });

  it('a template that is a whole string in a mapping keeps its JSON type', async () => {
    const Files = [{ filename: 'a.txt', contentType: 'text/plain', base64contents: 'AAAA' }];
    expect(await perform('kinds', 'kinds', { Count: '1.5', Day: '2026-02-28', Tags: ['B'], Open: true, Files })).toEqual(success); // prettier-ignore
    const task = await read('kinds');
    expect(JSON.parse((await only('/kinds')).body)).toEqual({
      amount: '10.50',
      count: task['Count'],
      day: '2026-02-28',
      tags: ['B'],
      open: true,
      files: task['Files'],
      none: null,
      deep: [{ stage: 'New', for: null }, 1.5, true, null],
      text: 'of kinds: 10.50',
    });
  });

  it.each([
    ['crlf', 'a\r\nX-Evil: 1'],
    ['euro', '5 €'],
  ])('a header value that is not one line of Latin-1 fails the step, and is not sent: %s', async (ID, Note) => {
    expect(await perform('noted', ID, { Note })).toEqual(failed('the header x-note cannot be sent'));
    expect(receiver.of(`/${ID}`)).toEqual([]);
  }); // prettier-ignore

  it('asks for an uncompressed answer, and names the service', async () => {
    expect(await perform('call', 'plain')).toEqual(success);
    expect((await only('/plain')).headers).toMatchObject({
      'accept-encoding': 'identity',
      'user-agent': 'workflow-task-service',
      'idempotency-key': expect.stringMatching(/^[\w-]{16}\.1$/) as unknown,
    });
  });
});

describe('secrets', () => {
  it('come from WTS_SECRET_<WORKSPACE>__<NAME>, upper case, - as _', async () => {
    expect(await perform('secret', 'secret')).toEqual(success);
    const call = await only('/secret/');
    expect([call.path, call.headers['authorization']]).toEqual(['/secret/planted-token-1', 'Bearer planted-token-1']); // prettier-ignore
    expect(JSON.parse(call.body)).toEqual({ token: 'planted-token-1', text: 'with planted-token-1' });
    expect(await perform('parts', 'parts')).toEqual(success);
    const { path } = await only('/parts');
    expect(new URLSearchParams(path.split('?')[1]).get('key')).toBe('planted+token/2&3');
  });

  it('from the same workspace only', async () => {
    const missing = failed('the secret ONLY is not set: WTS_SECRET_ACME__ONLY');
    expect(await perform('missing', 'only')).toEqual(missing);
    // The secret ONLY of acme-eu, of which acme might think as EU_ONLY of its own.
    expect(await perform('foreign', 'eu-only')).toEqual(failed('the secret EU_ONLY is not set: WTS_SECRET_ACME__EU_ONLY')); // prettier-ignore
    expect([...receiver.of('/only'), ...receiver.of('/eu-only')]).toEqual([]);
  });

  it('but not with one underscore', () => {
    const environment = {
      WTS_SECRET_ACME_EU_TOKEN: 'planted-token-7',
      WTS_SECRET_NORTH__TOKEN: 'planted-token-9',
    };
    const known = new Secrets(readConfig(environment).secrets);
    for (const workspace of ['acme', 'acme-eu', 'north-'])
      for (const name of ['TOKEN', 'EU_TOKEN', '_TOKEN'])
        expect(() => known.value(workspace, name)).toThrow(/is not set: WTS_SECRET_|has an ambiguous name/);
  });

  it('are the reason why workspace ids have no double hyphen and no hyphen at the end', async () => {
    const definitionOf = (id: string): string => `workspace: { id: ${id}, name: North }\nworkflows: []`;
    for (const id of ['north--sea', 'south-', '-south'])
      await expect(service.apply(definitionOf(id))).rejects.toThrow(
        /workspace\.id: begins or ends with -, or contains --/,
      );
  });

  it('are never shown in any answer, log or table, whatever the receiver does with them', async () => {
    // An echo, as debugging services give it.
    receiver.answer('/leak', (response, { headers, body, path }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ headers, body, path, task: { Note: 'told' } }));
    });
    receiver.answer('/refused-leak', (response, { headers }) => {
      response.writeHead(400, { 'x-token': headers.authorization ?? '' }).end(headers.authorization);
    });
    expect(await perform('secret', 'leak')).toEqual(success);
    expect(await perform('secret', 'refused-leak')).toEqual(failed('was answered with status 400'));
    expect(await read('leak')).toMatchObject({ Note: 'told' });
    const shown = await Promise.all([
      api.get(`${executions}?_verbose=true`),
      api.get(`${cases}?_limit=500`),
      api.get(`${cases}/leak/actions?_explain=true`),
    ]);
    for (const { status, text } of shown) expect([status, text]).toEqual([200, expect.not.stringMatching(/planted.token/)]); // prettier-ignore
    expect(lines.join('')).toContain(executions.replace('cases', ':workflow_id'));
    expect(lines.join('')).not.toMatch(/planted.token/);
    for (const [table, text] of await tables()) expect([table, text]).toEqual([table, expect.not.stringMatching(/planted.token/)]); // prettier-ignore
  });

  async function tables(): Promise<[string, string][]> {
    const names = await service.dataSource.query<{ name: string }[]>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    );
    expect(names.length).toBeGreaterThan(15);
    return Promise.all(
      names.map(async ({ name }): Promise<[string, string]> => {
        const rows = await service.dataSource.query<{ row: string }[]>(
          `SELECT t::text AS row FROM "${name}" t`,
        );
        return [name, rows.map(({ row }) => row).join('\n')];
      }),
    );
  }
});

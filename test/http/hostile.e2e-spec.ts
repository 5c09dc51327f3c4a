import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Test } from 'supertest';
import { everyType, workflowOf } from '../support/definitions.js';
import { startServiceWith } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';
const oddNames = ['constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then', 'toJSON', 'a.b[c]', '10', '2', '🦊', "Robert'); DROP TABLE tasks;--", '$1', '{{x}}', 'a=b&c', 'ﬁ', '‮x', 'A[b]', 'Amount ($)', '%41', 'null', ' '.repeat(0) + 'x'.repeat(100)]; // prettier-ignore
const naughty = ['', ' ', 'undefined', 'NaN', 'Infinity', '-0', '1e400', '0x1', '1,000.00', '٣', '９', "' OR 1=1 --", '"', '\\', '\\u0000', '<script>alert(1)</script>', '${7*7}', '{{7*7}}', '../../etc/passwd', '%00', '\u0000', '\ud800', '\udfff\ud800', '\u202e', '👩‍👩‍👧', 'ÅÅ', '\t', '\r\n', '\u0085', '\ufeff', '﷽', 'z͑ͫ', 'infinity', 'today', 'epoch', '2024-02-30', '0000-01-01', '99999-01-01', 'x'.repeat(20_000)]; // prettier-ignore

const { service, api, key } = await startServiceWith(everyType);

describe('a hostile client', () => {
  it('finds that odd field names are ordinary names', async () => {
    const fields = oddNames.map((name) => `name: ${JSON.stringify(name)}, type: text`);
    const odd = await service.clientOf(
      workflowOf(['name: ID, type: uniqueId, required: true', ...fields], 'odd'),
    );
    const entries = [['ID', '1'], ...oddNames.map((name, index) => [name, `v${index}`])];
    const body = `{${entries.map((entry) => entry.map((part) => JSON.stringify(part)).join(':')).join(',')}}`;
    const { text } = await odd.post(tasks, body).expect(201);
    const [, fieldsOfIt] = /"Task URL":"[^"]*",(.*)}$/.exec(text) ?? [];
    expect(`{${fieldsOfIt ?? ''}}`).toBe(body);
    for (const [index, name] of oddNames.entries()) {
      const query = new URLSearchParams([[name, `v${index}`]]);
      expect(await odd.read(`${tasks}?${query.toString()}`)).toHaveLength(1);
      query.set(name, 'other');
      expect(await odd.read(`${tasks}?${query.toString()}`)).toHaveLength(0);
    }
    expect((await odd.put(tasks, text).expect(200)).text).toBe(text);
    expect(({} as Record<string, unknown>)['v0']).toBeUndefined();
  });

  it('finds that options and stages with odd names are ordinary, too', async () => {
    const names = ['__proto__', 'constructor', 'toString'];
    const listed = JSON.stringify(names);
    const yaml = workflowOf(['name: ID, type: uniqueId, required: true', `name: One, type: singleSelect, options: ${listed}`, `name: Many, type: multipleSelect, options: ${listed}`], 'named'); // prettier-ignore
    const named = await service.clientOf(
      yaml.replace('{ name: New }', '{ name: New }, { name: __proto__ }, { name: constructor }'),
    );
    for (const name of names) {
      const task = { ID: name, One: name, Many: [name], Stage: name === 'toString' ? 'New' : name };
      expect((await named.post(tasks, task).expect(201)).body).toMatchObject(task);
      expect(await named.read(`${tasks}?One=${name}&Many=${name}`)).toHaveLength(1);
    }
  });

  it('gets a refusal of names that are not fields, such as names of the prototype', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'id', 'workspace_id', 'version', 'uniqueValue', 't.id', "field_values->>'x'", '']; // prettier-ignore
    const body = `{"ID":"x",${names.map((name) => `${JSON.stringify(name)}:"1"`).join(',')}}`;
    const { text } = await api.post(tasks, body).expect(422);
    const messages = names.map((name) => `${JSON.stringify(name)}:["is not a field of this workflow"]`);
    expect(text.replace('; did you mean ID?', '')).toBe(`{"errors":{${messages.join(',')}}}`);
  });

  it('gets no 5xx for naughty strings, and reads back the stored values', async () => {
    const names = ['Text', 'Long Text', 'Number', 'Price', 'Phone', 'Day', 'Moment', 'Owner', 'Tier', 'Regions', 'Open?', 'Contract', 'E-mail', 'Website', 'Stage', 'Assigned To', 'Parts', 'Task URL']; // prettier-ignore
    const wrong: unknown[] = [];
    /** Asks with all these names, then with those that were not refused, which it returns. */
    const ask = async (send: (names: readonly string[]) => Test, ...what: unknown[]) => {
      const answer = await send(names);
      const { errors = {} } = answer.body as { errors?: object };
      const accepted = names.filter((name) => !(name in errors));
      const second = answer.status === 422 ? await send(accepted) : answer;
      for (const { status } of [answer, second]) if (status >= 500) wrong.push([...what, status]);
      return { accepted, second };
    };
    const write = (value: unknown) => (accepted: readonly string[]) =>
      api.post(tasks, { ID: 'n', ...Object.fromEntries(accepted.map((name) => [name, value])) });
    for (const [at, text] of naughty.entries()) {
      const { accepted, second } = await ask(write(text), 'value', text);
      const stored = second.body as Record<string, unknown>;
      const shown = /^[\s\u0085\p{Default_Ignorable_Code_Point}]*$/u.test(text)
        ? null
        : text.normalize('NFC');
      for (const name of ['Text', 'Long Text'].filter((name) => text !== '' && accepted.includes(name)))
        if (second.status < 300 && stored[name] !== shown) wrong.push([name, text, stored[name]]);
      if (at % 2 === 0) await ask(write([text]), 'array', text);
      else await ask(write({ [text]: text }), 'object', text);
      const query = (accepted: readonly string[]): Test =>
        api.get(`${tasks}?${new URLSearchParams(accepted.map((name) => [name, text])).toString()}`);
      await ask(query, 'filter', text);
      const path = text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
      for (const answer of [
        await api.post(tasks, { ID: text }),
        await api.get(`${tasks}?${new URLSearchParams([[text, text]]).toString()}`),
        await api.get(`${tasks}/${path}`),
        await api.get(`/api/v1/workflows/${path}/tasks`),
        await api.delete(`${tasks}/${path}`),
      ])
        if (answer.status >= 500) wrong.push([text, answer.status]);
    }
    expect(wrong).toEqual([]);
  });

  it('gets no 5xx for a filter that is repeated a thousand times', async () => {
    await api.post(tasks, { ID: 'many', Text: '7', Regions: ['EMEA'], 'Open?': true }).expect(201);
    const repeat = (name: string, value: (n: number) => string, length = 1300): string =>
      Array.from({ length }, (_, n) => `${encodeURIComponent(name)}=${value(n)}`).join('&');
    const found = async (query: string): Promise<string[]> =>
      (await api.read<{ ID: string }[]>(`${tasks}?${query}`)).map(({ ID }) => ID);
    expect(await found(repeat('Text', String))).toEqual(['many']);
    expect(await found(repeat('Text', (n) => String(n + 8)))).toEqual([]);
    expect(await found(`${repeat('Regions', () => 'EMEA', 900)}&Open%3F=true&Open%3F=true`)).toEqual([
      'many',
    ]);
  });

  it('gets at most 100 characters of a name in an error', async () => {
    const name = 'n'.repeat(1_000);
    const errors = { [`${'n'.repeat(100)}…`]: ['is not a field of this workflow'] };
    await api.put(tasks, { [name]: 1, ID: 'a' }).expect(422, { errors });
    const { text } = await api.post(tasks, { [`${name}n`]: 1 }).expect(400);
    expect(text).toContain(`a key of more than 1,000 characters: \\"${'n'.repeat(100)}\\"…`);
    await api.get(`${tasks}?${name}=1`).expect(422, { errors });
  });

  it('can send 200 filters for a list, and a long name is compared with no others', async () => {
    const names = (count: number): string => Array.from({ length: count }, (_, n) => `f${n}`).join('&');
    const { body } = (await api.get(`${tasks}?${names(200)}`).expect(422)) as { body: { errors: object } };
    expect(Object.keys(body.errors)).toHaveLength(200);
    for (const query of [names(201), `_any=${encodeURIComponent(names(201))}`]) {
      const { text } = await api.get(`${tasks}?${query}`).expect(422);
      expect(text).toMatch(/^\{"errors":\{"(base|_any)":\["has more than 200 filters"\]\}\}$/);
    }
    const dots = await api.get(`${tasks}?${'.'.repeat(12_000)}[gt]=a,b`).expect(422);
    expect(dots.body).toEqual({ errors: { [`${'.'.repeat(100)}…`]: ['is not a field of this workflow'] } });
  });

  it('gets a refusal of a query or path that is not UTF-8', async () => {
    for (const query of ['Text=%FF', 'Text=%ED%A0%80', 'Text=%zz', '%FF=1'])
      await api.get(`${tasks}?${query}`).expect(400);
    for (const part of ['%FF', '%zz?x=%FF', '%ED%A0%80'])
      expect((await api.get(`${tasks}/${part}`).expect(400)).text).toContain(
        'The path is not percent-encoded',
      );
  });

  const oversized = `X: ${'x'.repeat(20_000)}\r\n\r\n`;
  it.each([
    ['no HTTP', 'GARBAGE\r\n\r\n', 400],
    ['an unencoded URL', 'GET /é HTTP/1.1\r\nHost: x\r\n\r\n', 400, expect.stringMatching('encoded?')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['a long head', `GET / HTTP/1.1\r\nHost: x\r\n${oversized}`, 431, expect.stringMatching('16 kB')],
    ['no host', 'GET /health/live HTTP/1.1\r\n\r\n', 400],
    ['a HEAD without a host', 'HEAD /health/live HTTP/1.1\r\n\r\n', 400],
    ['another expectation', 'GET /health/live HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n', 417],
    ['broken chunks', 'POST /docs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n', 400],
    ['two lengths', 'POST /docs HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
  ])('gets a problem document for %s', async (_, request, status, detail: unknown = expect.any(String)) => {
    const answer = await exchange(request);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(head).toMatch(/^Content-Type: application\/problem\+json/m);
    const id = /^X-Request-Id: (\S+)/m.exec(head)?.[1];
    expect(id).toMatch(/^[\w-]{10,}$/);
    if (request.startsWith('HEAD')) expect(body).toBe('');
    else expect(JSON.parse(body)).toMatchObject({ status, detail, request_id: id });
  });

  it('gets an answer with HTTP/1.0, and never 100 Continue', async () => {
    const head = `POST ${tasks} HTTP/1.0\r\nAuthorization: Bearer ${key}\r\nExpect: 100-continue`;
    const answer = await exchange(`${head}\r\nContent-Length: 12\r\n\r\n{"ID":"old"}`);
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
  });

  async function exchange(request: string): Promise<string> {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.write(request);
    return text(socket);
  }

  it.each([
    ['a key', 10, 100],
    ['a key', 10 ** 9, 413],
    ['no key', 10, 401],
  ])(
    'with %s and a body of %d bytes gets 100 Continue only if the body will be read',
    async (who, length, status) => {
      const sent = who === 'a key' ? key : 'wts_nobody';
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      const head = `POST ${tasks} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${sent}`;
      socket.write(`${head}\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`);
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      expect(chunk.toString().slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
    },
  );
});

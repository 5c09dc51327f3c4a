import { sendWhileHeld } from '../support/held-tasks.js';
import { cursorIn, nextOf, walk } from '../support/pages.js';
import { startServiceWith } from '../support/service.js';

interface Comment {
  readonly author: string;
  readonly body: string;
  readonly timestamp: string;
}

const yaml = (workspace: string): string => `
workspace: { id: ${workspace}, name: Acme }
users:
  - { email: mina@acme.test }
  - { email: gone@acme.test, active: false }
workflows:
  - id: cases
    name: Cases
    stages: [{ name: New }]
    fields: [{ name: ID, type: uniqueId, required: true }]
`;
const tasks = '/api/v1/workflows/cases/tasks';
const commentsOf = (id: string): string => `${tasks}/${encodeURIComponent(id)}/comments`;

const { service, api } = await startServiceWith([yaml('acme'), yaml('other').replace('gone@', 'stranger@')]);
await api.post(tasks, { ID: 'a' }).expect(201);

describe('10 comments', () => {
  const comments = (id: string): Promise<Comment[]> => api.read(commentsOf(id));
  const say = (id: string, body: string): Promise<Comment> => api.send(commentsOf(id), { body });
  const refusal = (sent: object): Promise<unknown> => api.refusal(commentsOf('a'), sent);

  describe('GET', () => {
    it('is an array, oldest first, of exactly author, body and timestamp, as the 201 of a POST shows', async () => {
      await api.post(tasks, { ID: 'g' }).expect(201);
      expect((await api.get(commentsOf('g')).expect(200)).text).toBe('[]');
      const { body, text } = await api.post(commentsOf('g'), { body: 'one' }).expect(201);
      const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
      expect(body).toEqual({ author: 'API', body: 'one', timestamp });
      const { headers, text: listed } = await api.get(commentsOf('g')).expect(200);
      expect(listed).toBe(`[${text}]`);
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      for (const more of ['two', 'three']) await say('g', more);
      const shown = await comments('g');
      expect(shown.map((comment) => comment.body)).toEqual(['one', 'two', 'three']);
      const times = shown.map((comment) => comment.timestamp);
      expect(times.toSorted()).toEqual(times);
    });
  });

  describe('POST', () => {
    it('`performed_by` is the author, in any case, shown by the current e-mail; null is absent', async () => {
      const renamed = await service.clientOf(yaml('renamed'));
      await renamed.post(tasks, { ID: 'r' }).expect(201);
      for (const performed_by of ['mina@acme.test', 'MINA@Acme.Test', null])
        await renamed.post(commentsOf('r'), { body: 'x', performed_by }).expect(201);
      const authors = async (): Promise<string[]> =>
        (await renamed.read<Comment[]>(commentsOf('r'))).map(({ author }) => author);
      expect(await authors()).toEqual(['mina@acme.test', 'mina@acme.test', 'API']);
      const was = '{ email: m@acme.test, was: mina@acme.test }';
      await service.apply(yaml('renamed').replace('{ email: mina@acme.test }', was));
      expect(await authors()).toEqual(['m@acme.test', 'm@acme.test', 'API']);
    });

    it('`performed_by` must be a user of this workspace, or is 422', async () => {
      const errors = { performed_by: ['is not a user of this workspace'] };
      for (const performed_by of ['gone@acme.test', 'stranger@acme.test', '', 'API', '__proto__', false, []])
        expect([performed_by, await refusal({ body: 'x', performed_by })]).toEqual([performed_by, errors]);
    });

    it('keeps 1 to 10,000 characters as they are, including line breaks and tabs', async () => {
      await api.post(tasks, { ID: 'kept' }).expect(201);
      const bodies = ['🦊'.repeat(10_000), 'a\n\tb\r\nc\u2028', '\ufeff👩‍👩‍👧 ﷽ <b>"\\u0000"</b>'];
      for (const body of bodies) expect((await say('kept', body)).body).toBe(body);
      expect((await comments('kept')).map(({ body }) => body)).toEqual(bodies);
    });

    it.each([
      ['is required', ['', ' ', null]],
      ['is longer than 10,000 characters', ['x'.repeat(10_001), `x${'\ufe0f'.repeat(10_000)}`]],
      ['contains a character that cannot be stored', ['a\udfff\ud800']],
    ])('422: body %s', async (message, bodies) => {
      const before = (await comments('a')).length;
      for (const body of bodies) expect(await refusal({ body })).toEqual({ body: [message] });
      expect(await comments('a')).toHaveLength(before);
    });

    it('reports all faults at once', async () => {
      expect(await refusal({ author: 'me', Body: 'x', performed_by: 'x@acme.test' })).toEqual({
        author: ['is not a key of a comment; did you mean performed_by?'],
        Body: ['is not a key of a comment; did you mean body?'],
        body: ['is required'],
        performed_by: ['is not a user of this workspace'],
      });
    });

    it('several at once are all kept, and listed by their time', async () => {
      await api.post(tasks, { ID: 'raced' }).expect(201);
      const said = await Promise.all(['a', 'b', 'c', 'd'].map((body) => say('raced', body)));
      const shown = await comments('raced');
      expect(shown.map(({ body }) => body).toSorted()).toEqual(['a', 'b', 'c', 'd']);
      expect(shown.map(({ timestamp }) => timestamp)).toEqual(
        said.map(({ timestamp }) => timestamp).toSorted(),
      );
    });
  });

  describe('pages of 1,203 comments', () => {
    const count = 1203;
    const all = Array.from({ length: count }, (_, n) => `c${n + 1}`);

    beforeAll(async () => {
      await api.post(tasks, { ID: 'many' }).expect(201);
      await insert('many', count, '');
    });

    async function insert(task: string, rows: number, padding: string): Promise<void> {
      await service.dataSource.query(
        `INSERT INTO comments (workspace_id, workflow_id, task_id, body)
         SELECT t.workspace_id, t.workflow_id, t.id, 'c' || n || $3 FROM tasks t, generate_series(1, $2::integer) n
         WHERE t.unique_value = $1 ORDER BY n`,
        [task, rows, padding],
      );
    }

    const pagesOf = async (path: string): Promise<string[][]> =>
      (await walk<Comment>(api, path)).map((page) => page.map(({ body }) => body));

    it('`Link: rel="next"` leads through all comments', async () => {
      for (const [limit, lengths] of [
        [1000, [1000, 203]],
        [401, [401, 401, 401]],
      ] as const) {
        const pages = await pagesOf(`${commentsOf('many')}?_limit=${limit}`);
        expect(pages.map(({ length }) => length)).toEqual(lengths);
        expect(pages.flat()).toEqual(all);
      }
    });

    it('`_after` without `_limit`, or from another list, is 422', async () => {
      const after = cursorIn(nextOf(await api.get(`${commentsOf('many')}?_limit=1`).expect(200)));
      const alone = api.get(`${commentsOf('many')}?_after=${after}`);
      await alone.expect(422, { errors: { _after: ['needs _limit'] } });
      const errors = { _after: ['is not a cursor of this list; take it from the header Link'] };
      for (const [list, cursor] of [
        [commentsOf('many'), `${after}A`],
        [commentsOf('a'), after],
        [tasks, after],
      ] as const) {
        const refused = await api.get(`${list}?_limit=1&_after=${cursor}`).expect(422);
        expect([list, cursor, refused.body]).toEqual([list, cursor, { errors }]);
      }
    });

    it('a page of long comments is short and has a next page; the list is complete', async () => {
      await api.post(tasks, { ID: 'long' }).expect(201);
      await insert('long', 250, '🦊'.repeat(5000));
      const pages = await pagesOf(`${commentsOf('long')}?_limit=1000`);
      expect(pages.length).toBeGreaterThan(2);
      expect(Math.max(...pages.map(({ length }) => length))).toBeLessThan(110);
      expect(pages.flat().map((body) => body.replaceAll('🦊', ''))).toEqual(all.slice(0, 250));
      expect((await comments('long')).map(({ body }) => body)).toEqual(pages.flat());
    });
  });

  it('a comment is no version of the task, and is deleted with the task', async () => {
    await api.post(tasks, { ID: 'v' }).expect(201);
    const { headers } = await api.get(`${tasks}/v`).expect(200);
    await say('v', 'a comment that goes');
    const found = `SELECT FROM comments WHERE body = 'a comment that goes'`;
    expect((await api.get(`${tasks}/v`)).headers['etag']).toBe(headers['etag']);
    expect(await service.dataSource.query(found)).toHaveLength(1);
    await api.delete(`${tasks}/v`).expect(204);
    await api.get(commentsOf('v')).expect(404);
    await api.post(commentsOf('v'), { body: 'x' }).expect(404);
    expect(await service.dataSource.query(found)).toEqual([]);
    await api.post(tasks, { ID: 'v' }).expect(201);
    expect(await comments('v')).toEqual([]);
  });

  it('a comment beside the DELETE of its task is 404', async () => {
    await api.post(tasks, { ID: 'd' }).expect(201);
    const remove = () => api.delete(`${tasks}/d`);
    const answers = await sendWhileHeld(service.dataSource, 'd', remove, () =>
      api.post(commentsOf('d'), { body: 'x' }),
    );
    expect(answers.map(({ status }) => status)).toEqual([204, 404]);
  });
});

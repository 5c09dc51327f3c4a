import { everyType, workflowOf } from '../support/definitions.js';
import { type Client } from '../support/service.js';
import { clientOf, close, idsOf, listOf, refusalOf, service, tasks, textOf, uniqueId } from './lists.js';
import { api, openFiltered } from './filtered.js';

describe('4.1 filters', () => {
  beforeAll(openFiltered);
  afterAll(close);

  describe('a repeated parameter means any-of, however often', () => {
    const tagsOf = (options: readonly string[], workspace: string): string =>
      workflowOf(
        [uniqueId, `name: Tags, type: multipleSelect, options: ${JSON.stringify(options)}`],
        workspace,
      );
    let many: Client;

    beforeAll(async () => {
      many = await clientOf('many', everyType.replaceAll('acme', 'many'));
      for (const n of [3, 14, 1, 12, 2])
        await many.post(tasks, { ID: `${n}`, Text: `t${n}`, Number: n, Regions: ['AMER'] }).expect(201);
      await many.post(tasks, { ID: 'blank' }).expect(201);
    });

    it('of a field', async () => {
      const numbers = Array.from({ length: 12 }, (_, n) => `${n}.0`);
      expect(await idsOf(many, { Number: numbers })).toEqual(['3', '1', '2']);
      expect(await idsOf(many, { Number: [...numbers, ''] })).toEqual(['3', '1', '2', 'blank']);
      expect(await idsOf(many, { 'Number[ne]': numbers })).toEqual(['14', '12', 'blank']);
      expect(await idsOf(many, { Text: numbers.map((_, n) => `t${n}`) })).toEqual(['3', '1', '2']);
    });

    it('of a multipleSelect, by membership', async () => {
      const letters = [...'ABCDEFGHIJKL'];
      const tagged = await clientOf('tagged', tagsOf(letters, 'tagged'));
      await tagged.post(tasks, { ID: 'A', Tags: ['A'] }).expect(201);
      await tagged.post(tasks, { ID: 'BA', Tags: ['B', 'A'] }).expect(201);
      await tagged.post(tasks, { ID: 'L', Tags: ['L'] }).expect(201);
      await tagged.post(tasks, { ID: 'none' }).expect(201);
      expect(await idsOf(tagged, { Tags: letters.slice(1, 11) })).toEqual(['BA']);
      expect(await idsOf(tagged, { 'Tags[contains]': letters.slice(1) })).toEqual(['BA', 'L']);
      expect(await idsOf(tagged, { 'Tags[ne]': letters.slice(1, 11) })).toEqual(['A', 'L', 'none']);
    });

    it('of a multipleSelect with an option that is spelled like a list of options', async () => {
      const numbers = Array.from({ length: 10 }, (_, n) => `${n}`);
      const client = await clientOf('listed', tagsOf([...numbers, 'A', '["A"]'], 'listed'));
      await client.post(tasks, { ID: 'option', Tags: ['A'] }).expect(201);
      await client.post(tasks, { ID: 'list', Tags: ['["A"]'] }).expect(201);
      expect(await idsOf(client, { Tags: '["A"]' })).toEqual(['list']);
      expect(await idsOf(client, { Tags: ['["A"]', ...numbers] })).toEqual(['list']);
    });

    it('of the Unique ID, and pages of them are in the order of creation too', async () => {
      const ids = ['1', '2', '3', '12', '14'];
      expect(await idsOf(many, { ID: ids })).toEqual(['3', '14', '1', '12', '2']);
      expect(await idsOf(many, { ID: ids, _sort: '-_created' })).toEqual(['2', '12', '1', '14', '3']);
      expect(await idsOf(many, { ID: ids, _limit: '2' })).toEqual(['3', '14']);
      expect(await idsOf(many, { ID: ids, _limit: '1', _sort: '-_created' })).toEqual(['2']);
    });
  });

  describe('`_created` and `_updated` can be filtered like fields', () => {
    let timed: Client;

    beforeAll(async () => {
      timed = await clientOf('timed', workflowOf([uniqueId, 'name: Text, type: text'], 'timed'));
      for (const ID of ['a', 'b', 'c']) await timed.post(tasks, { ID }).expect(201);
      await service.dataSource.query(
        `UPDATE tasks SET created_at = '2026-01-01T00:00:00.000Z'::timestamptz + (ascii(unique_value) - 97) * interval '1 ms',
           updated_at = '2026-01-02T00:00:00.000Z'::timestamptz + (ascii(unique_value) - 97) * interval '1 ms'
         FROM workspaces w WHERE w.id = workspace_id AND w.slug = 'timed'`,
      );
    });

    it.each([
      ['', '001Z', ['b']],
      ['', '0010Z', ['b']],
      ['[ne]', '001Z', ['a', 'c']],
      ['[gt]', '001Z', ['c']],
      ['[gte]', '001Z', ['b', 'c']],
      ['[lt]', '001Z', ['a']],
      ['[lte]', '001Z', ['a', 'b']],
      ['[gt]', '002Z', []],
      ['[lt]', '000Z', []],
    ])('to the millisecond: %s=….%s', async (operator, fraction, ids) => {
      expect(await idsOf(timed, { [`_created${operator}`]: `2026-01-01T00:00:00.${fraction}` })).toEqual(ids);
      expect(await idsOf(timed, { [`_updated${operator}`]: `2026-01-02T00:00:00.${fraction}` })).toEqual(ids);
    });

    it('in any spelling, several times, and as a range', async () => {
      expect(await idsOf(timed, { _created: '2026-01-01T05:30:00.002+05:30' })).toEqual(['c']);
      const both = ['2026-01-01T00:00:00.002Z', '2026-01-01T00:00:00Z'];
      expect(await idsOf(timed, { _created: both })).toEqual(['a', 'c']);
      expect(await idsOf(timed, { '_created[ne]': both })).toEqual(['b']);
      expect(
        await idsOf(timed, {
          '_updated[gt]': '2026-01-02T00:00:00Z',
          '_updated[lt]': '2026-01-02T00:00:00.002Z',
        }),
      ).toEqual(['b']);
      expect(
        await idsOf(timed, { '_created[gte]': '0001-01-01T00:00:00Z', '_updated[lte]': '9999-12-31T23:59:59.999Z' }), // prettier-ignore
      ).toEqual(['a', 'b', 'c']);
    });

    it('an instant that a list shows finds the task again', async () => {
      await timed.post(tasks, { ID: 'd' }).expect(201);
      await timed.put(tasks, { ID: 'd', Text: 'changed' }).expect(200);
      const [shown] = await listOf(timed, { ID: 'd', _fields: '_created,_updated' });
      expect(await idsOf(timed, { _created: String(shown?.['_created']) })).toEqual(['d']);
      expect(await idsOf(timed, { _updated: String(shown?.['_updated']) })).toEqual(['d']);
    });

    it('`_updated` moves with a change, not with a write that changes nothing', async () => {
      const before = { '_updated[gt]': '2026-01-02T00:00:00.002Z', ID: 'a' };
      await timed.put(tasks, { ID: 'a', Text: null }).expect(200);
      expect(await idsOf(timed, before)).toEqual([]);
      await timed.put(tasks, { ID: 'a', Text: 'x' }).expect(200);
      expect(await idsOf(timed, before)).toEqual(['a']);
      expect(await idsOf(timed, { _created: '2026-01-01T00:00:00Z' })).toEqual(['a']);
    });

    it('what is no instant, or finer than a millisecond, is 422', async () => {
      const malformed = ['is not a date and time in RFC 3339 format with an offset'];
      expect(
        await refusalOf(timed, {
          _created: '',
          '_created[gt]': '2026-01-01',
          '_updated[ne]': '2026-01-01T00:00:00.0001Z',
        }),
      ).toEqual({
        _created: malformed,
        '_created[gt]': malformed,
        '_updated[ne]': ['is finer than a millisecond'],
      });
    });
  });

  describe('filters combine', () => {
    it.each([
      [{ 'Number[gt]': '-2', 'Number[lt]': '10.5' }, ['two']],
      [{ 'Number[ne]': '9', 'Text[ne]': '' }, ['one', 'three']],
      [{ Regions: 'EMEA', 'Regions[ne]': 'AMER' }, ['one']],
      [{ Regions: 'EMEA', 'Regions[contains]': 'AMER' }, ['two']],
      [{ Tier: ['Gold', 'Bronze'], 'Stage[gt]': 'New' }, ['three']],
      [{ Tier: 'Gold', Number: '9' }, []],
      [{ ID: 'one', Tier: 'Gold', Regions: 'EMEA', Stage: 'New', 'Assigned To': 'mina@acme.test' }, ['one']],
      [{ 'Assigned To': '', Stage: 'New' }, ['none']],
    ])('%j', async (query, ids) => {
      expect(await idsOf(api, query)).toEqual(ids);
    });
  });

  describe('an exact field name wins over the bracket reading', () => {
    it('of a field called Amount[gt]', async () => {
      const fields = ['name: Amount, type: number', 'name: "Amount[gt]", type: text', 'name: "[ne]", type: text', 'name: "A[b]", type: text']; // prettier-ignore
      const named = await clientOf('named', workflowOf([uniqueId, ...fields], 'named'));
      await named
        .post(tasks, { ID: 'a', Amount: 5, 'Amount[gt]': '3', '[ne]': 'x', 'A[b]': '1' })
        .expect(201);
      await named.post(tasks, { ID: 'b', Amount: 2, 'Amount[gt]': 'three' }).expect(201);
      expect(await idsOf(named, { 'Amount[gt]': '3' })).toEqual(['a']);
      expect(await idsOf(named, { 'Amount[gt]': 'three' })).toEqual(['b']);
      expect(await idsOf(named, { 'Amount[gt]': '' })).toEqual([]);
      expect(await idsOf(named, { 'Amount[gte]': '3' })).toEqual(['a']);
      expect(await idsOf(named, { 'Amount[gt][ne]': '3' })).toEqual(['b']);
      expect(await idsOf(named, { 'Amount[gt][contains]': 'HRE' })).toEqual(['b']);
      expect(await idsOf(named, { '[ne]': 'x' })).toEqual(['a']);
      expect(await idsOf(named, { '[ne][ne]': 'x' })).toEqual(['b']);
      expect(await idsOf(named, { 'A[b]': '1' })).toEqual(['a']);
      expect(await idsOf(named, { 'A[b][ne]': '1' })).toEqual(['b']);
    });
  });

  describe('an unknown name, or a value that the type refuses: 422 on that name', () => {
    const unknown = ['is not a field of this workflow'];
    const notAStage = 'is not a stage of this workflow; it has: New, In Review, Done';
    const operators = 'ne, gt, gte, lt, lte, contains';

    it.each([
      'Nope',
      'text',
      'Text ',
      'Nope[gt]',
      'Nope[like]',
      'Text[gt',
      'Text]',
      'Text.gt',
      'Text[gt]x',
      'Text[[gt]]',
      '__proto__',
      '__proto__[ne]',
      'constructor',
      'constructor[gt]',
      'toString',
      'hasOwnProperty',
      'then',
      'base',
      '_nope',
      '_nope[gt]',
      '_limit[gt]',
      '_sort[]',
      '_Created',
      '_id',
      'id',
      'version',
      'workspace_id',
      't.id',
      "field_values->>'x'",
      '$1',
      '',
      '[ne]',
    ])('%j is not a field', async (name) => {
      // prettier-ignore
      const { text } = await api.get(`${tasks}?${new URLSearchParams([[name, '1']]).toString()}`).expect(422);
      const said = text.replace(/; did you mean (Text|ID|_sort)\?/, '');
      expect(said).toBe(`{"errors":{${JSON.stringify(name)}:${JSON.stringify(unknown)}}}`);
    });

    it.each(['like', 'GT', 'eq', '', ' gt', '__proto__', 'constructor', 'null'])(
      'Price[%s] has no such operator',
      async (operator) => {
        const parameter = `Price[${operator}]`;
        expect(await refusalOf(api, { [parameter]: '1' })).toEqual({
          [parameter]: [`has no operator ${operator}, only ${operators}`],
        });
      },
    );

    it.each(['Contract', 'Parts', 'Task URL'])('%s cannot be filtered', async (name) => {
      const parameters = [name, ...operators.split(', ').map((operator) => `${name}[${operator}]`)];
      expect(
        await refusalOf(api, Object.fromEntries(parameters.map((parameter) => [parameter, '']))),
      ).toEqual(Object.fromEntries(parameters.map((parameter) => [parameter, ['cannot be filtered']])));
    });

    it.each([
      ['Text', 'a\nb', 'contains a control character'],
      ['Text', 'x'.repeat(10_001), 'is longer than 10,000 characters'],
      ['Number', 'ten', 'is not a number'],
      ['Number[gt]', '1e3', 'is not a number'],
      ['Number[lt]', '0x10', 'is not a number'],
      ['Number[ne]', ' 1', 'is not a number'],
      ['Price', '1,000.00', 'is not a number'],
      ['Price[gte]', '1'.repeat(39), 'has more than 38 significant digits'],
      ['Phone', 'call me', 'is not a phone number'],
      ['Day[lt]', '2026-02-30', 'is not a date in YYYY-MM-DD format'],
      ['Day', 'today', 'is not a date in YYYY-MM-DD format'],
      ['Moment[gt]', '2026-02-03T04:05:06', 'is not a date and time in RFC 3339 format with an offset'],
      ['Moment', '2026-02-03T04:05:06.0001Z', 'is finer than a millisecond'],
      ['Owner', 'nobody@acme.test', 'is not a user of this workspace'],
      ['Assigned To[ne]', 'nobody@acme.test', 'is not a user of this workspace'],
      ['Tier', 'gold', 'is not one of: Gold, Silver, Bronze'],
      ['Regions[contains]', 'EM', 'is not one of: EMEA, AMER, APAC'],
      ['Regions', 'EMEA,AMER', 'is not one of: EMEA, AMER, APAC; several values: Regions=EMEA&Regions=AMER'],
      ['Open?', 'yes', 'is not a boolean'],
      ['Open?[gt]', 'TRUE', 'is not a boolean'],
      ['ID', ' a', 'begins or ends with white space'],
      ['E-mail', 'acme', 'is not an e-mail address'],
      ['Website', 'acme.test', 'is not an absolute http or https URL'],
      ['Stage', 'new', notAStage],
      ['Stage[ne]', '', notAStage],
      ['Stage[gt]', 'Limbo', notAStage],
    ])('%s=%.30s', async (parameter, value, message) => {
      expect(await refusalOf(api, { [parameter]: value })).toEqual({ [parameter]: [message] });
    });

    it('of a repeated parameter one value is enough', async () => {
      expect(await refusalOf(api, { Number: ['1', 'two', 'three'] })).toEqual({
        Number: ['is not a number'],
      });
    });

    it('all faults stand in one answer', async () => {
      expect(
        await refusalOf(api, {
          Nope: '1',
          Number: 'ten',
          Text: 'fine',
          'Number[gt]': '',
          'Tier[like]': 'G',
          Contract: 'x',
          'Regions[lt]': 'EMEA',
          'Day[contains]': '2026',
          _created: 'now',
          _limit: '0',
          _after: 'x',
          _sort: 'Contract',
          _fields: 'Nope',
          _count: 'maybe',
        }),
      ).toEqual({
        Nope: unknown,
        Number: ['is not a number'],
        'Number[gt]': ['cannot be compared with blank by gt'],
        'Tier[like]': [`has no operator like, only ${operators}`],
        Contract: ['cannot be filtered'],
        'Regions[lt]': ['cannot be compared by lt'],
        'Day[contains]': ['cannot be compared by contains'],
        _created: ['is not a date and time in RFC 3339 format with an offset'],
        _limit: ['is not a whole number from 1 to 1000'],
        _sort: ['cannot be Contract: relationships, files and Task URL are not sortable'],
        _fields: ['contains a name that is not a field of this workflow: Nope'],
        _count: ['is not true or false'],
      });
    });
  });

  describe('/tasks/active takes the same parameters', () => {
    const activeIdsOf = async (query: Query): Promise<string[]> =>
      ((await api.get(`${tasks}/active?${textOf(query)}`).expect(200)).body as { ID: string }[]).map(
        ({ ID }) => ID,
      );

    it.each([
      [{}, ['one', 'two', 'none']],
      [{ 'Number[gt]': '-2' }, ['two']],
      [{ 'Text[ne]': 'Zebra' }, ['two', 'none']],
      [{ 'Regions[contains]': 'AMER' }, ['two']],
      [{ Stage: 'Done' }, []],
      [{ 'Stage[gt]': 'New' }, ['two']],
      [{ '_created[lt]': '2026-01-01T00:00:00Z' }, []],
      [{ _sort: '-Number', _limit: '2' }, ['two', 'one']],
      [{ _fields: 'ID', _limit: '1', _count: 'true' }, ['one']],
    ])('%j', async (query, ids) => {
      expect(await activeIdsOf(query)).toEqual(ids);
    });

    it('and refuses the same', async () => {
      const { body } = await api.get(`${tasks}/active?Nope=1&Price%5Blike%5D=1&Parts=`).expect(422);
      expect(body).toEqual({
        errors: {
          Nope: ['is not a field of this workflow'],
          'Price[like]': ['has no operator like, only ne, gt, gte, lt, lte, contains'],
          Parts: ['cannot be filtered'],
        },
      });
    });
  });

  type Query = Readonly<Record<string, string | readonly string[]>>;
});

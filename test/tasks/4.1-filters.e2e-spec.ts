import { RememberFormerOptions1795219200132 } from '../../migrations/1795219200132-remember-former-options.js';
import { everyType, workflowOf } from '../support/definitions.js';
import { type Client, startService, type TestService } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';
const uniqueId = 'name: ID, type: uniqueId, required: true';

/** A workspace whose users and options have an order that is neither that of the alphabet nor of its reverse. */
const definition = everyType
  .replace('gone@acme.test, active: false', 'Zoe@acme.test')
  .replace('[Gold, Silver]', '[Gold, Silver, Bronze]');

/** For each field whose values are ordered, three values in that order, one of each task. */
const ordered: [name: string, one: string, two: string, three: string][] = [
  // By code point: UTF-16 would put the smile first, a dictionary the zebra last.
  ['Text', 'Zebra', 'ﬁn', '😀'],
  ['Long Text', '1\n2', '10', '9'],
  ['Phone', '+1 555 0100', '020 7946 0000', '911'],
  ['E-mail', 'Zoe@acme.test', 'anna@acme.test', 'éva@acme.test'],
  ['Website', 'http://z.test/', 'https://B.test/', 'https://a.test/'],
  ['Number', '-2', '9', '10.5'],
  ['Price', '9.5', '10', '12345678901234567890'],
  ['Day', '0999-12-31', '2026-02-03', '2026-10-01'],
  ['Moment', '2026-02-03T01:00:00+02:00', '2026-02-03T00:00:00Z', '2026-02-02T23:30:00-02:00'],
  // By option, in the order of the definition.
  ['Tier', 'Gold', 'Silver', 'Bronze'],
  // By e-mail.
  ['Owner', 'Mina@acme.test', 'Zoe@acme.test', 'theo@acme.test'],
  ['Assigned To', 'Mina@acme.test', 'Zoe@acme.test', 'theo@acme.test'],
];

describe('4.1 filters', () => {
  let service: TestService;
  let api: Client;

  beforeAll(async () => {
    service = await startService();
    api = await clientOf('acme', definition);
    for (const [index, ID] of ['one', 'two', 'three'].entries())
      await api
        .post(tasks, {
          ID,
          ...Object.fromEntries(ordered.map(([name, ...values]) => [name, values[index]])),
          Stage: ['New', 'In Review', 'Done'][index],
          Regions: [['EMEA'], ['EMEA', 'AMER'], ['APAC', 'AMER']][index],
          'Open?': index === 2,
        })
        .expect(201);
    await api.post(tasks, { ID: 'none' }).expect(201);
  });
  afterAll(() => service.stop());

  describe('`Field=value` is equality under the field’s type', () => {
    let equal: Client;

    beforeAll(async () => {
      equal = await clientOf('equal', everyType.replaceAll('acme', 'equal'));
      await equal.post(tasks, { ID: 'ten', Number: 10, Price: '10', Text: '10' }).expect(201);
      await equal.post(tasks, { ID: 'also', Number: '10.0', Price: 10.0, Text: '10.0' }).expect(201);
      await equal.post(tasks, { ID: '01', Number: -0.5, Text: 'Été' }).expect(201);
      await equal.post(tasks, { ID: '1', Number: 0, Text: 'E\u0301te\u0301 ' }).expect(201);
      await equal
        .post(tasks, { ID: 'x', Moment: '2026-02-03T04:05:06.007+01:00', Owner: 'mina@equal.test' })
        .expect(201);
    });

    it.each([
      ['10, 10.0 and 10.00 are one number', { Number: '10' }, ['ten', 'also']],
      ['10, 10.0 and 10.00 are one number', { Number: '10.0' }, ['ten', 'also']],
      ['10, 10.0 and 10.00 are one number', { Number: '10.00' }, ['ten', 'also']],
      ['and so they are as amounts', { Price: '10.000' }, ['ten', 'also']],
      ['-0 is 0', { Number: '-0.0' }, ['1']],
      ['a number with more places than the field may have is no task’s', { Number: '10.0001' }, []],
      ['as texts 10 and 10.0 are two', { Text: '10' }, ['ten']],
      ['a text is compared to the letter', { Text: 'été' }, []],
      ['a text is compared to the code point', { Text: 'Été' }, ['01']],
      ['white space is a part of a text', { Text: 'E\u0301te\u0301' }, []],
      ['white space is a part of a text', { Text: 'E\u0301te\u0301 ' }, ['1']],
      ['a Unique ID is a text', { ID: '1' }, ['1']],
      ['a Unique ID is a text', { ID: '01' }, ['01']],
      ['an instant has many spellings', { Moment: '2026-02-02T22:05:06.0070-05:00' }, ['x']],
      ['a person is found by an e-mail in any case', { Owner: 'MINA@EQUAL.test' }, ['x']],
    ])('%s', async (_, query, ids) => {
      expect(await idsOf(query, equal)).toEqual(ids);
    });
  });

  describe.each(ordered)('of %s', (name, one, two, three) => {
    it.each([
      ['[gt]', two, ['three']],
      ['[gte]', two, ['two', 'three']],
      ['[lt]', two, ['one']],
      ['[lte]', two, ['one', 'two']],
      ['[gt]', three, []],
      ['[lt]', one, []],
      ['[gte]', one, ['one', 'two', 'three']],
      ['[lte]', three, ['one', 'two', 'three']],
      ['', two, ['two']],
    ])('%s=%s', async (operator, value, ids) => {
      expect(await idsOf({ [`${name}${operator}`]: value })).toEqual(ids);
    });

    it('`ne` includes blanks', async () => {
      expect(await idsOf({ [`${name}[ne]`]: two })).toEqual(['one', 'three', 'none']);
    });

    it('an empty value means blank', async () => {
      expect(await idsOf({ [name]: '' })).toEqual(['none']);
      expect(await idsOf({ [`${name}[ne]`]: '' })).toEqual(['one', 'two', 'three']);
    });

    it('a repeated parameter means any-of', async () => {
      expect(await idsOf({ [name]: [three, one, three] })).toEqual(['one', 'three']);
      expect(await idsOf({ [name]: ['', two] })).toEqual(['two', 'none']);
      expect(await idsOf({ [`${name}[gt]`]: [three, two] })).toEqual(['three']);
      expect(await idsOf({ [`${name}[lte]`]: [one, two] })).toEqual(['one', 'two']);
    });

    it('a repeated `ne` means none of these', async () => {
      expect(await idsOf({ [`${name}[ne]`]: [one, two] })).toEqual(['three', 'none']);
      expect(await idsOf({ [`${name}[ne]`]: ['', two] })).toEqual(['one', 'three']);
    });

    it.each(['gt', 'gte', 'lt', 'lte'])('nothing is %s than blank: 422', async (operator) => {
      const parameter = `${name}[${operator}]`;
      expect(await refusalOf({ [parameter]: '' })).toEqual({
        [parameter]: [`cannot be compared with blank by ${operator}`],
      });
    });
  });

  describe('of the Unique ID, which is compared as a text', () => {
    it.each([
      [{ ID: ['two', 'none', 'nobody'] }, ['two', 'none']],
      [{ 'ID[ne]': 'two' }, ['one', 'three', 'none']],
      [{ 'ID[ne]': ['two', 'none'] }, ['one', 'three']],
      [{ 'ID[gt]': 'one' }, ['two', 'three']],
      [{ 'ID[gte]': 'one' }, ['one', 'two', 'three']],
      [{ 'ID[lt]': 'one' }, ['none']],
      [{ 'ID[lte]': 'one' }, ['one', 'none']],
      [{ 'ID[contains]': 'O' }, ['one', 'two', 'none']],
      [{ ID: '' }, []],
    ])('%j', async (query, ids) => {
      expect(await idsOf(query)).toEqual(ids);
    });

    it('an empty value means blank, where one may be', async () => {
      const blank = await clientOf(
        'unnamed',
        workflowOf(['name: ID, type: uniqueId', 'name: Text, type: text'], 'unnamed'),
      );
      await blank.post(tasks, { ID: '1', Text: 'named' }).expect(201);
      await blank.post(tasks, { Text: 'unnamed' }).expect(201);
      const textsOf = async (query: Query): Promise<unknown[]> =>
        (await listOf(query, blank)).map(({ Text }) => Text);
      expect(await textsOf({ ID: '' })).toEqual(['unnamed']);
      expect(await textsOf({ ID: ['', '1'] })).toEqual(['named', 'unnamed']);
      expect(await textsOf({ 'ID[ne]': '1' })).toEqual(['unnamed']);
      expect(await textsOf({ 'ID[ne]': '' })).toEqual(['named']);
      expect(await textsOf({ 'ID[gte]': '0' })).toEqual(['named']);
    });
  });

  describe('of a multipleSelect', () => {
    it.each([
      ['plain equality means membership', { Regions: 'EMEA' }, ['one', 'two']],
      ['`contains` is membership too', { 'Regions[contains]': 'EMEA' }, ['one', 'two']],
      ['repeated, of any', { Regions: ['EMEA', 'APAC'] }, ['one', 'two', 'three']],
      ['repeated, of any', { 'Regions[contains]': ['AMER', 'APAC'] }, ['two', 'three']],
      ['an empty value means blank', { Regions: '' }, ['none']],
      ['an empty value means blank', { Regions: ['', 'APAC'] }, ['three', 'none']],
      ['`ne` includes blanks', { 'Regions[ne]': 'EMEA' }, ['three', 'none']],
      ['a repeated `ne` means none of these', { 'Regions[ne]': ['EMEA', 'APAC'] }, ['none']],
      ['a repeated `ne` means none of these', { 'Regions[ne]': ['EMEA', ''] }, ['three']],
    ])('%s: %j', async (_, query, ids) => {
      expect(await idsOf(query)).toEqual(ids);
    });

    it.each(['gt', 'gte', 'lt', 'lte'])('has no order to be compared by %s: 422', async (operator) => {
      const parameter = `Regions[${operator}]`;
      expect(await refusalOf({ [parameter]: 'EMEA' })).toEqual({
        [parameter]: [`cannot be compared by ${operator}`],
      });
    });
  });

  describe('of a checkbox, where false is less than true and nothing is blank', () => {
    it.each([
      [{ 'Open?': 'true' }, ['three']],
      [{ 'Open?': 'false' }, ['one', 'two', 'none']],
      [{ 'Open?': '' }, ['one', 'two', 'none']],
      [{ 'Open?': ['true', 'false'] }, ['one', 'two', 'three', 'none']],
      [{ 'Open?[ne]': 'true' }, ['one', 'two', 'none']],
      [{ 'Open?[ne]': 'false' }, ['three']],
      [{ 'Open?[ne]': ['true', 'false'] }, []],
      [{ 'Open?[gt]': 'false' }, ['three']],
      [{ 'Open?[gt]': 'true' }, []],
      [{ 'Open?[gte]': 'false' }, ['one', 'two', 'three', 'none']],
      [{ 'Open?[gte]': 'true' }, ['three']],
      [{ 'Open?[lt]': 'true' }, ['one', 'two', 'none']],
      [{ 'Open?[lt]': 'false' }, []],
      [{ 'Open?[lte]': 'false' }, ['one', 'two', 'none']],
      [{ 'Open?[lte]': 'true' }, ['one', 'two', 'three', 'none']],
    ])('%j', async (query, ids) => {
      expect(await idsOf(query)).toEqual(ids);
    });
  });

  describe('of the Stage, in the order of the stages', () => {
    it.each([
      [{ Stage: 'New' }, ['one', 'none']],
      [{ Stage: ['New', 'Done'] }, ['one', 'three', 'none']],
      [{ 'Stage[ne]': 'New' }, ['two', 'three']],
      [{ 'Stage[ne]': ['New', 'Done'] }, ['two']],
      [{ 'Stage[gt]': 'New' }, ['two', 'three']],
      [{ 'Stage[gt]': ['Done', 'In Review'] }, ['three']],
      [{ 'Stage[gt]': 'Done' }, []],
      [{ 'Stage[gte]': 'In Review' }, ['two', 'three']],
      [{ 'Stage[gte]': 'New' }, ['one', 'two', 'three', 'none']],
      [{ 'Stage[lt]': 'New' }, []],
      [{ 'Stage[lt]': 'Done' }, ['one', 'two', 'none']],
      [{ 'Stage[lte]': 'New' }, ['one', 'none']],
    ])('%j', async (query, ids) => {
      expect(await idsOf(query)).toEqual(ids);
    });
  });

  describe('`contains` is a case-insensitive substring of text types', () => {
    let texts: Client;

    beforeAll(async () => {
      texts = await clientOf('texts', everyType.replaceAll('acme', 'texts'));
      const list = ['Straße', 'ΟΔΥΣΣΕΥΣ', '100% _sure_', 'C:\\temp', 'été', 'I am', ' ', '(a|b)*', 'ÿŸ'];
      for (const text of list)
        await texts
          .post(tasks, { ID: text.trim() || 'space', Text: text, 'Long Text': `…\n${text}\n…` })
          .expect(201);
      await texts
        .post(tasks, {
          ID: 'other',
          Phone: '+1 555 0100 x12',
          'E-mail': 'Anna@Acme.test',
          Website: 'https://Acme.test/A?b=C',
        })
        .expect(201);
    });

    it('of at most 1,000 characters; more is 422', async () => {
      expect(await idsOf({ 'Text[contains]': 'x'.repeat(1000) }, texts)).toEqual([]);
      expect(await refusalOf({ 'Text[contains]': 'x'.repeat(1001) })).toEqual({
        'Text[contains]': ['is longer than 1,000 characters'],
      });
    });

    it.each([
      ['any case', 'STRASS', ['Straße']],
      ['ß is SS', 'strasse', ['Straße']],
      ['ß is SS', 'STRASSE', ['Straße']],
      ['ß is ß', 'straße', ['Straße']],
      ['Σ, σ and ς are one letter', 'οδυσσευσ', ['ΟΔΥΣΣΕΥΣ']],
      ['Σ, σ and ς are one letter', 'οδυσσευς', ['ΟΔΥΣΣΕΥΣ']],
      ['Σ, σ and ς are one letter', 'ΣΣΕΥ', ['ΟΔΥΣΣΕΥΣ']],
      ['letters with accents have cases too', 'ÉT', ['été']],
      ['letters with accents are letters of their own', 'ete', []],
      ['ÿ, whose upper case is of another alphabet', 'Ÿÿ', ['ÿŸ']],
      ['i is I', 'i Am', ['I am']],
      ['% is a plain character', '%', ['100% _sure_']],
      ['% is a plain character', '1%', []],
      ['_ is a plain character', '_', ['100% _sure_']],
      ['_ is a plain character', '_emp', []],
      ['a backslash is a plain character', '\\', ['C:\\temp']],
      ['a backslash is a plain character', '\\T', ['C:\\temp']],
      ['a backslash is a plain character', '\\%', []],
      ['so are all others', '(A|B)*', ['(a|b)*']],
      ['white space counts', ' ', ['100% _sure_', 'I am', 'space']],
      ['the whole is a part of itself', '100% _SURE_', ['100% _sure_']],
      ['what is longer is none', 'Straße!', []],
    ])('%s: %j', async (_, text, ids) => {
      expect(await idsOf({ 'Text[contains]': text }, texts)).toEqual(ids);
      expect(await idsOf({ 'Long Text[contains]': text }, texts)).toEqual(ids);
    });

    it.each([
      ['Long Text[contains]', '\nSTRASSE\n', ['Straße']],
      ['Phone[contains]', '0100 X1', ['other']],
      ['E-mail[contains]', 'ANNA@acme', ['other']],
      ['Website[contains]', '//acme', ['other']],
      ['ID[contains]', 'STRASSE', ['Straße']],
    ])('%s=%j', async (parameter, text, ids) => {
      expect(await idsOf({ [parameter]: text }, texts)).toEqual(ids);
    });

    it('a repeated parameter means any-of', async () => {
      expect(await idsOf({ 'Text[contains]': ['%', 'ss', 'none'] }, texts)).toEqual([
        'Straße',
        '100% _sure_',
      ]);
    });

    it('nothing contains blank: 422', async () => {
      expect(await refusalOf({ 'Text[contains]': ['a', ''] })).toEqual({
        'Text[contains]': ['cannot be compared with blank by contains'],
      });
    });

    it('what no text can hold is a value that the type refuses: 422', async () => {
      for (const parameter of ['Text[contains]', 'Long Text[contains]', 'ID[contains]', 'Text', 'Text[gt]'])
        expect(await refusalOf({ [parameter]: 'a\0b' })).toEqual({ [parameter]: [expect.any(String)] });
    });

    it.each([
      ['Number', '1'],
      ['Price', '1'],
      ['Day', '2026'],
      ['Moment', '2026'],
      ['Tier', 'Gold'],
      ['Open?', 'true'],
      ['Owner', 'mina'],
      ['Assigned To', 'mina'],
      ['Stage', 'New'],
      ['_created', '2026'],
      ['_updated', '2026'],
    ])('of text types only: 422 for %s', async (name, value) => {
      const parameter = `${name}[contains]`;
      expect(await refusalOf({ [parameter]: value })).toEqual({
        [parameter]: ['cannot be compared by contains'],
      });
    });
  });

  describe('selects are in option order', () => {
    const selects = (tiers: string, stages: string): string =>
      workflowOf([uniqueId, `name: Tier, type: singleSelect, options: [${tiers}]`, `name: Tags, type: multipleSelect, options: [${tiers}]`], 'options') // prettier-ignore
        .replace('{ name: New }, { name: Done, end: true }', stages);
    let options: Client;

    beforeAll(async () => {
      options = await clientOf('options', selects('A, B, C, D', '{ name: First }, { name: Second }'));
      for (const option of ['D', 'C', 'B', 'A'])
        await options.post(tasks, {
          ID: option,
          Tier: option,
          Tags: [option],
          Stage: option < 'C' ? 'First' : 'Second',
        });
      await options.post(tasks, { ID: 'blank' }).expect(201);
    });

    it('a stored option that the definition no longer has stands behind the others', async () => {
      await service.apply(selects('A, C', '{ name: First }, { name: Second }'));
      expect(await idsOf({ 'Tier[gt]': 'A' }, options)).toEqual(['D', 'C', 'B']);
      expect(await idsOf({ 'Tier[gt]': 'C' }, options)).toEqual(['D', 'B']);
      expect(await idsOf({ 'Tier[gte]': 'C' }, options)).toEqual(['D', 'C', 'B']);
      expect(await idsOf({ 'Tier[lt]': 'C' }, options)).toEqual(['A']);
      expect(await idsOf({ 'Tier[lte]': 'C' }, options)).toEqual(['C', 'A']);
      expect(await idsOf({ 'Tier[ne]': 'A' }, options)).toEqual(['D', 'C', 'B', 'blank']);
      expect(await idsOf({ 'Tier[ne]': '' }, options)).toEqual(['D', 'C', 'B', 'A']);
      expect(await idsOf({ 'Tags[ne]': 'A' }, options)).toEqual(['D', 'C', 'B', 'blank']);
    });

    it('its tasks are found by it; it is compared with nothing, and what never was an option is refused', async () => {
      await service.apply(selects('A, C', '{ name: First }, { name: Second }'));
      expect(await idsOf({ Tier: 'B' }, options)).toEqual(['B']);
      expect(await idsOf({ Tags: 'B' }, options)).toEqual(['B']);
      expect(await idsOf({ 'Tags[contains]': 'D' }, options)).toEqual(['D']);
      expect(await idsOf({ 'Tier[ne]': 'B' }, options)).toEqual(['D', 'C', 'A', 'blank']);
      const isUnknown = ['is not one of: A, C'];
      expect(await refusalOf({ Tier: 'E', 'Tier[gt]': 'B', Tags: 'E' }, options)).toEqual({
        Tier: isUnknown,
        'Tier[gt]': isUnknown,
        Tags: isUnknown,
      });
      expect((await options.put(tasks, { ID: 'blank', Tier: 'B', Tags: ['B'] })).body).toEqual({
        errors: { Tier: isUnknown, Tags: isUnknown },
      });
    });

    it('so it is however it went, and when it went before the database remembered', async () => {
      const stages = '{ name: First }, { name: Second }';
      await service.apply(selects('A, B, C, D', stages));
      await service.dataSource.query(
        `UPDATE fields SET settings = '{"options":["C"]}' WHERE name IN ('Tier', 'Tags')`,
      );
      await service.apply(selects('C', stages));
      expect(await idsOf({ Tier: ['B', 'D'] }, options)).toEqual(['D', 'B']);
      const migration = new RememberFormerOptions1795219200132();
      const runner = service.dataSource.createQueryRunner();
      await migration.down(runner);
      await migration.up(runner);
      await runner.release();
      await service.apply(selects('C, E', stages));
      expect(await idsOf({ Tier: ['B', 'D'] }, options)).toEqual(['D', 'B']);
      expect(await idsOf({ Tags: 'A' }, options)).toEqual(['A']);
    });

    it('the order is that of today’s definition', async () => {
      await service.apply(selects('D, C, B, A', '{ name: Second }, { name: First }'));
      expect(await idsOf({ 'Tier[gt]': 'C' }, options)).toEqual(['B', 'A']);
      expect(await idsOf({ 'Tier[lt]': 'C' }, options)).toEqual(['D']);
      expect(await idsOf({ 'Stage[gt]': 'Second' }, options)).toEqual(['B', 'A', 'blank']);
      expect(await idsOf({ 'Stage[lt]': 'First' }, options)).toEqual(['D', 'C']);
    });
  });

  describe('people are in the order of their e-mails', () => {
    it('of today, and one who left is still somebody', async () => {
      const people = (users: string): string =>
        workflowOf([uniqueId, 'name: Owner, type: person'], 'people').replace('[{ email: mina@acme.test }]', users); // prettier-ignore
      const client = await clientOf('people', people('[{ email: a@x.test }, { email: b@x.test }]'));
      await client.post(tasks, { ID: 'a', Owner: 'a@x.test', 'Assigned To': 'a@x.test' }).expect(201);
      await client.post(tasks, { ID: 'b', Owner: 'b@x.test', 'Assigned To': 'b@x.test' }).expect(201);
      expect(await idsOf({ 'Owner[gt]': 'A@x.test' }, client)).toEqual(['b']);
      await service.apply(people('[{ email: c@x.test, was: a@x.test, active: false }, { email: b@x.test }]'));
      expect(await idsOf({ Owner: 'c@x.test' }, client)).toEqual(['a']);
      expect(await idsOf({ 'Owner[gt]': 'b@x.test' }, client)).toEqual(['a']);
      expect(await idsOf({ 'Assigned To[gte]': 'c@x.test' }, client)).toEqual(['a']);
      expect(await refusalOf({ Owner: 'a@x.test' }, client)).toEqual({
        Owner: ['is not a user of this workspace'],
      });
    });
  });

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
      expect(await idsOf({ Number: numbers }, many)).toEqual(['3', '1', '2']);
      expect(await idsOf({ Number: [...numbers, ''] }, many)).toEqual(['3', '1', '2', 'blank']);
      expect(await idsOf({ 'Number[ne]': numbers }, many)).toEqual(['14', '12', 'blank']);
      expect(await idsOf({ Text: numbers.map((_, n) => `t${n}`) }, many)).toEqual(['3', '1', '2']);
    });

    it('of a multipleSelect, by membership', async () => {
      const letters = [...'ABCDEFGHIJKL'];
      const tagged = await clientOf('tagged', tagsOf(letters, 'tagged'));
      await tagged.post(tasks, { ID: 'A', Tags: ['A'] }).expect(201);
      await tagged.post(tasks, { ID: 'BA', Tags: ['B', 'A'] }).expect(201);
      await tagged.post(tasks, { ID: 'L', Tags: ['L'] }).expect(201);
      await tagged.post(tasks, { ID: 'none' }).expect(201);
      expect(await idsOf({ Tags: letters.slice(1, 11) }, tagged)).toEqual(['BA']);
      expect(await idsOf({ 'Tags[contains]': letters.slice(1) }, tagged)).toEqual(['BA', 'L']);
      expect(await idsOf({ 'Tags[ne]': letters.slice(1, 11) }, tagged)).toEqual(['A', 'L', 'none']);
    });

    it('of a multipleSelect with an option that is spelled like a list of options', async () => {
      const numbers = Array.from({ length: 10 }, (_, n) => `${n}`);
      const client = await clientOf('listed', tagsOf([...numbers, 'A', '["A"]'], 'listed'));
      await client.post(tasks, { ID: 'option', Tags: ['A'] }).expect(201);
      await client.post(tasks, { ID: 'list', Tags: ['["A"]'] }).expect(201);
      expect(await idsOf({ Tags: '["A"]' }, client)).toEqual(['list']);
      expect(await idsOf({ Tags: ['["A"]', ...numbers] }, client)).toEqual(['list']);
    });

    it('of the Unique ID, and pages of them are in the order of creation too', async () => {
      const ids = ['1', '2', '3', '12', '14'];
      expect(await idsOf({ ID: ids }, many)).toEqual(['3', '14', '1', '12', '2']);
      expect(await idsOf({ ID: ids, _sort: '-_created' }, many)).toEqual(['2', '12', '1', '14', '3']);
      expect(await idsOf({ ID: ids, _limit: '2' }, many)).toEqual(['3', '14']);
      expect(await idsOf({ ID: ids, _limit: '1', _sort: '-_created' }, many)).toEqual(['2']);
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
      expect(await idsOf({ [`_created${operator}`]: `2026-01-01T00:00:00.${fraction}` }, timed)).toEqual(ids);
      expect(await idsOf({ [`_updated${operator}`]: `2026-01-02T00:00:00.${fraction}` }, timed)).toEqual(ids);
    });

    it('in any spelling, several times, and as a range', async () => {
      expect(await idsOf({ _created: '2026-01-01T05:30:00.002+05:30' }, timed)).toEqual(['c']);
      const both = ['2026-01-01T00:00:00.002Z', '2026-01-01T00:00:00Z'];
      expect(await idsOf({ _created: both }, timed)).toEqual(['a', 'c']);
      expect(await idsOf({ '_created[ne]': both }, timed)).toEqual(['b']);
      expect(
        await idsOf(
          { '_updated[gt]': '2026-01-02T00:00:00Z', '_updated[lt]': '2026-01-02T00:00:00.002Z' },
          timed,
        ),
      ).toEqual(['b']);
      expect(
        await idsOf({ '_created[gte]': '0001-01-01T00:00:00Z', '_updated[lte]': '9999-12-31T23:59:59.999Z' }, timed), // prettier-ignore
      ).toEqual(['a', 'b', 'c']);
    });

    it('an instant that a list shows finds the task again', async () => {
      await timed.post(tasks, { ID: 'd' }).expect(201);
      await timed.put(tasks, { ID: 'd', Text: 'changed' }).expect(200);
      const [shown] = await listOf({ ID: 'd', _fields: '_created,_updated' }, timed);
      expect(await idsOf({ _created: String(shown?.['_created']) }, timed)).toEqual(['d']);
      expect(await idsOf({ _updated: String(shown?.['_updated']) }, timed)).toEqual(['d']);
    });

    it('`_updated` moves with a change, not with a write that changes nothing', async () => {
      const before = { '_updated[gt]': '2026-01-02T00:00:00.002Z', ID: 'a' };
      await timed.put(tasks, { ID: 'a', Text: null }).expect(200);
      expect(await idsOf(before, timed)).toEqual([]);
      await timed.put(tasks, { ID: 'a', Text: 'x' }).expect(200);
      expect(await idsOf(before, timed)).toEqual(['a']);
      expect(await idsOf({ _created: '2026-01-01T00:00:00Z' }, timed)).toEqual(['a']);
    });

    it('what is no instant, or finer than a millisecond, is 422', async () => {
      const malformed = ['is not a date and time in RFC 3339 format with an offset'];
      expect(
        await refusalOf(
          { _created: '', '_created[gt]': '2026-01-01', '_updated[ne]': '2026-01-01T00:00:00.0001Z' },
          timed,
        ),
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
      expect(await idsOf(query)).toEqual(ids);
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
      expect(await idsOf({ 'Amount[gt]': '3' }, named)).toEqual(['a']);
      expect(await idsOf({ 'Amount[gt]': 'three' }, named)).toEqual(['b']);
      expect(await idsOf({ 'Amount[gt]': '' }, named)).toEqual([]);
      expect(await idsOf({ 'Amount[gte]': '3' }, named)).toEqual(['a']);
      expect(await idsOf({ 'Amount[gt][ne]': '3' }, named)).toEqual(['b']);
      expect(await idsOf({ 'Amount[gt][contains]': 'HRE' }, named)).toEqual(['b']);
      expect(await idsOf({ '[ne]': 'x' }, named)).toEqual(['a']);
      expect(await idsOf({ '[ne][ne]': 'x' }, named)).toEqual(['b']);
      expect(await idsOf({ 'A[b]': '1' }, named)).toEqual(['a']);
      expect(await idsOf({ 'A[b][ne]': '1' }, named)).toEqual(['b']);
    });
  });

  describe('an unknown name, or a value that the type refuses: 422 on that name', () => {
    const unknown = ['is not a field of this workflow'];
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
      expect(text).toBe(`{"errors":{${JSON.stringify(name)}:${JSON.stringify(unknown)}}}`);
    });

    it.each(['like', 'GT', 'eq', '', ' gt', '__proto__', 'constructor', 'null'])(
      'Price[%s] has no such operator',
      async (operator) => {
        const parameter = `Price[${operator}]`;
        expect(await refusalOf({ [parameter]: '1' })).toEqual({
          [parameter]: [`has no operator ${operator}, only ${operators}`],
        });
      },
    );

    it.each(['Contract', 'Parts', 'Task URL'])('%s cannot be filtered', async (name) => {
      const parameters = [name, ...operators.split(', ').map((operator) => `${name}[${operator}]`)];
      expect(await refusalOf(Object.fromEntries(parameters.map((parameter) => [parameter, ''])))).toEqual(
        Object.fromEntries(parameters.map((parameter) => [parameter, ['cannot be filtered']])),
      );
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
      ['Regions', 'EMEA,AMER', 'is not one of: EMEA, AMER, APAC'],
      ['Open?', 'yes', 'is not a boolean'],
      ['Open?[gt]', 'TRUE', 'is not a boolean'],
      ['ID', ' a', 'begins or ends with white space'],
      ['E-mail', 'acme', 'is not an e-mail address'],
      ['Website', 'acme.test', 'is not an absolute http or https URL'],
      ['Stage', 'new', 'is not a stage of this workflow'],
      ['Stage[ne]', '', 'is not a stage of this workflow'],
      ['Stage[gt]', 'Limbo', 'is not a stage of this workflow'],
    ])('%s=%.30s', async (parameter, value, message) => {
      expect(await refusalOf({ [parameter]: value })).toEqual({ [parameter]: [message] });
    });

    it('of a repeated parameter one value is enough', async () => {
      expect(await refusalOf({ Number: ['1', 'two', 'three'] })).toEqual({ Number: ['is not a number'] });
    });

    it('all faults stand in one answer', async () => {
      expect(
        await refusalOf({
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
        _sort: ['cannot be by Contract'],
        _fields: ['names what is not a field of this workflow: Nope'],
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

  async function clientOf(workspace: string, yaml: string): Promise<Client> {
    await service.apply(yaml);
    return service.client(await service.key(workspace));
  }

  function textOf(query: Query): string {
    const pairs = Object.entries(query).flatMap(([name, values]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    );
    return new URLSearchParams(pairs).toString();
  }

  async function listOf(query: Query, client = api): Promise<Record<string, unknown>[]> {
    return (await client.get(`${tasks}?${textOf(query)}`).expect(200)).body as Record<string, unknown>[];
  }

  async function idsOf(query: Query, client = api): Promise<unknown[]> {
    return (await listOf(query, client)).map(({ ID }) => ID);
  }

  async function refusalOf(query: Query, client = api): Promise<unknown> {
    const { body } = await client.get(`${tasks}?${textOf(query)}`).expect(422);
    return (body as { errors: unknown }).errors;
  }
});

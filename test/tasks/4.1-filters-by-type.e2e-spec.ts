import { RememberFormerOptions1795219200132 } from '../../migrations/1795219200132-remember-former-options.js';
import { everyType, workflowOf } from '../support/definitions.js';
import { type Client } from '../support/service.js';
import { clientOf, close, idsOf, listOf, type Query, refusalOf, service, tasks, uniqueId } from './lists.js';
import { api, openFiltered, ordered } from './filtered.js';

describe('4.1 filters', () => {
  beforeAll(openFiltered);
  afterAll(close);

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
      expect(await idsOf(equal, query)).toEqual(ids);
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
      expect(await idsOf(api, { [`${name}${operator}`]: value })).toEqual(ids);
    });

    it('`ne` includes blanks', async () => {
      expect(await idsOf(api, { [`${name}[ne]`]: two })).toEqual(['one', 'three', 'none']);
    });

    it('an empty value means blank', async () => {
      expect(await idsOf(api, { [name]: '' })).toEqual(['none']);
      expect(await idsOf(api, { [`${name}[ne]`]: '' })).toEqual(['one', 'two', 'three']);
    });

    it('a repeated parameter means any-of', async () => {
      expect(await idsOf(api, { [name]: [three, one, three] })).toEqual(['one', 'three']);
      expect(await idsOf(api, { [name]: ['', two] })).toEqual(['two', 'none']);
      expect(await idsOf(api, { [`${name}[gt]`]: [three, two] })).toEqual(['three']);
      expect(await idsOf(api, { [`${name}[lte]`]: [one, two] })).toEqual(['one', 'two']);
    });

    it('a repeated `ne` means none of these', async () => {
      expect(await idsOf(api, { [`${name}[ne]`]: [one, two] })).toEqual(['three', 'none']);
      expect(await idsOf(api, { [`${name}[ne]`]: ['', two] })).toEqual(['one', 'three']);
    });

    it.each(['gt', 'gte', 'lt', 'lte'])('nothing is %s than blank: 422', async (operator) => {
      const parameter = `${name}[${operator}]`;
      expect(await refusalOf(api, { [parameter]: '' })).toEqual({
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
      expect(await idsOf(api, query)).toEqual(ids);
    });

    it('an empty value means blank, where one may be', async () => {
      const blank = await clientOf(
        'unnamed',
        workflowOf(['name: ID, type: uniqueId', 'name: Text, type: text'], 'unnamed'),
      );
      await blank.post(tasks, { ID: '1', Text: 'named' }).expect(201);
      await blank.post(tasks, { Text: 'unnamed' }).expect(201);
      const textsOf = async (query: Query): Promise<unknown[]> =>
        (await listOf(blank, query)).map(({ Text }) => Text);
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
      expect(await idsOf(api, query)).toEqual(ids);
    });

    it.each(['gt', 'gte', 'lt', 'lte'])('has no order to be compared by %s: 422', async (operator) => {
      const parameter = `Regions[${operator}]`;
      expect(await refusalOf(api, { [parameter]: 'EMEA' })).toEqual({
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
      expect(await idsOf(api, query)).toEqual(ids);
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
      expect(await idsOf(api, query)).toEqual(ids);
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
      expect(await idsOf(texts, { 'Text[contains]': 'x'.repeat(1000) })).toEqual([]);
      expect(await refusalOf(api, { 'Text[contains]': 'x'.repeat(1001) })).toEqual({
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
      expect(await idsOf(texts, { 'Text[contains]': text })).toEqual(ids);
      expect(await idsOf(texts, { 'Long Text[contains]': text })).toEqual(ids);
    });

    it.each([
      ['Long Text[contains]', '\nSTRASSE\n', ['Straße']],
      ['Phone[contains]', '0100 X1', ['other']],
      ['E-mail[contains]', 'ANNA@acme', ['other']],
      ['Website[contains]', '//acme', ['other']],
      ['ID[contains]', 'STRASSE', ['Straße']],
    ])('%s=%j', async (parameter, text, ids) => {
      expect(await idsOf(texts, { [parameter]: text })).toEqual(ids);
    });

    it('a repeated parameter means any-of', async () => {
      expect(await idsOf(texts, { 'Text[contains]': ['%', 'ss', 'none'] })).toEqual([
        'Straße',
        '100% _sure_',
      ]);
    });

    it('nothing contains blank: 422', async () => {
      expect(await refusalOf(api, { 'Text[contains]': ['a', ''] })).toEqual({
        'Text[contains]': ['cannot be compared with blank by contains'],
      });
    });

    it('what no text can hold is a value that the type refuses: 422', async () => {
      for (const parameter of ['Text[contains]', 'Long Text[contains]', 'ID[contains]', 'Text', 'Text[gt]'])
        expect(await refusalOf(api, { [parameter]: 'a\0b' })).toEqual({ [parameter]: [expect.any(String)] });
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
      expect(await refusalOf(api, { [parameter]: value })).toEqual({
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
      expect(await idsOf(options, { 'Tier[gt]': 'A' })).toEqual(['D', 'C', 'B']);
      expect(await idsOf(options, { 'Tier[gt]': 'C' })).toEqual(['D', 'B']);
      expect(await idsOf(options, { 'Tier[gte]': 'C' })).toEqual(['D', 'C', 'B']);
      expect(await idsOf(options, { 'Tier[lt]': 'C' })).toEqual(['A']);
      expect(await idsOf(options, { 'Tier[lte]': 'C' })).toEqual(['C', 'A']);
      expect(await idsOf(options, { 'Tier[ne]': 'A' })).toEqual(['D', 'C', 'B', 'blank']);
      expect(await idsOf(options, { 'Tier[ne]': '' })).toEqual(['D', 'C', 'B', 'A']);
      expect(await idsOf(options, { 'Tags[ne]': 'A' })).toEqual(['D', 'C', 'B', 'blank']);
    });

    it('its tasks are found by it; it is compared with nothing, and what never was an option is refused', async () => {
      await service.apply(selects('A, C', '{ name: First }, { name: Second }'));
      expect(await idsOf(options, { Tier: 'B' })).toEqual(['B']);
      expect(await idsOf(options, { Tags: 'B' })).toEqual(['B']);
      expect(await idsOf(options, { 'Tags[contains]': 'D' })).toEqual(['D']);
      expect(await idsOf(options, { 'Tier[ne]': 'B' })).toEqual(['D', 'C', 'A', 'blank']);
      const isUnknown = ['is not one of: A, C'];
      expect(await refusalOf(options, { Tier: 'E', 'Tier[gt]': 'B', Tags: 'E' })).toEqual({
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
      expect(await idsOf(options, { Tier: ['B', 'D'] })).toEqual(['D', 'B']);
      const migration = new RememberFormerOptions1795219200132();
      const runner = service.dataSource.createQueryRunner();
      await runner.startTransaction();
      await migration.down(runner);
      await migration.up(runner);
      await runner.commitTransaction();
      await runner.release();
      await service.apply(selects('C, E', stages));
      expect(await idsOf(options, { Tier: ['B', 'D'] })).toEqual(['D', 'B']);
      expect(await idsOf(options, { Tags: 'A' })).toEqual(['A']);
    });

    it('the order is that of today’s definition', async () => {
      await service.apply(selects('D, C, B, A', '{ name: Second }, { name: First }'));
      expect(await idsOf(options, { 'Tier[gt]': 'C' })).toEqual(['B', 'A']);
      expect(await idsOf(options, { 'Tier[lt]': 'C' })).toEqual(['D']);
      expect(await idsOf(options, { 'Stage[gt]': 'Second' })).toEqual(['B', 'A', 'blank']);
      expect(await idsOf(options, { 'Stage[lt]': 'First' })).toEqual(['D', 'C']);
    });
  });

  describe('people are in the order of their e-mails', () => {
    it('of today, and one who left is still somebody', async () => {
      const people = (users: string): string =>
        workflowOf([uniqueId, 'name: Owner, type: person'], 'people').replace('[{ email: mina@acme.test }]', users); // prettier-ignore
      const client = await clientOf('people', people('[{ email: a@x.test }, { email: b@x.test }]'));
      await client.post(tasks, { ID: 'a', Owner: 'a@x.test', 'Assigned To': 'a@x.test' }).expect(201);
      await client.post(tasks, { ID: 'b', Owner: 'b@x.test', 'Assigned To': 'b@x.test' }).expect(201);
      expect(await idsOf(client, { 'Owner[gt]': 'A@x.test' })).toEqual(['b']);
      await service.apply(people('[{ email: c@x.test, was: a@x.test, active: false }, { email: b@x.test }]'));
      expect(await idsOf(client, { Owner: 'c@x.test' })).toEqual(['a']);
      expect(await idsOf(client, { 'Owner[gt]': 'b@x.test' })).toEqual(['a']);
      expect(await idsOf(client, { 'Assigned To[gte]': 'c@x.test' })).toEqual(['a']);
      expect(await refusalOf(client, { Owner: 'a@x.test' })).toEqual({
        Owner: ['is not a user of this workspace'],
      });
    });
  });
});

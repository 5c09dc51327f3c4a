import { everyType, workflowOf } from '../support/definitions.js';
import { type Client } from '../support/service.js';
import { idsOf, listOf, pagesOf, type Query, refusalOf, service, tasks, textOf, uniqueId } from './lists.js';

/** For each field whose values are ordered, three values in that order, one of each task. */
const ordered: [name: string, one: string, two: string, three: string][] = [
  // By code point: UTF-16 would put the smile first, a dictionary the zebra last.
  ['Text', 'Zebra', 'ﬁn', '😀'],
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
const orders = ['gt', 'gte', 'lt', 'lte'];

// The order of users and options is neither that of the alphabet nor of its reverse.
const definition = everyType
  .replace('gone@acme.test, active: false', 'Zoe@acme.test')
  .replace('[Gold, Silver]', '[Gold, Silver, Bronze]');
const api = await service.clientOf(definition);
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

type Found = readonly [Query, string[]];

describe('4.1 filters', () => {
  /** That each of these queries finds just these tasks, in this order. */
  async function expectFound(client: Client, cases: readonly Found[]): Promise<void> {
    for (const [query, ids] of cases) expect([query, await idsOf(client, query)]).toEqual([query, ids]);
  }

  it.each(ordered)('of %s: equality, order, blanks and any-of', async (name, one, two, three) => {
    await expectFound(api, [
      [{ [name]: two }, ['two']],
      [{ [name]: '' }, ['none']],
      [{ [name]: [three, one, three] }, ['one', 'three']],
      [{ [name]: ['', two] }, ['two', 'none']],
      [{ [`${name}[ne]`]: two }, ['one', 'three', 'none']],
      [{ [`${name}[ne]`]: '' }, ['one', 'two', 'three']],
      [{ [`${name}[ne]`]: ['', two] }, ['one', 'three']],
      [{ [`${name}[gt]`]: two }, ['three']],
      [{ [`${name}[gt]`]: [three, two] }, ['three']],
      [{ [`${name}[gte]`]: two }, ['two', 'three']],
      [{ [`${name}[lt]`]: two }, ['one']],
      [{ [`${name}[lte]`]: two }, ['one', 'two']],
    ]);
  });

  it.each<Found>([
    // A Unique ID is a text.
    [{ ID: ['two', 'none', 'nobody'] }, ['two', 'none']],
    [{ 'ID[ne]': ['two', 'none'] }, ['one', 'three']],
    [{ 'ID[gt]': 'one' }, ['two', 'three']],
    [{ 'ID[lte]': 'one' }, ['one', 'none']],
    [{ 'ID[contains]': 'O' }, ['one', 'two', 'none']],
    [{ ID: '' }, []],
    // A multipleSelect is filtered by membership.
    [{ Regions: 'EMEA' }, ['one', 'two']],
    [{ 'Regions[contains]': ['AMER', 'APAC'] }, ['two', 'three']],
    [{ Regions: ['', 'APAC'] }, ['three', 'none']],
    [{ 'Regions[ne]': 'EMEA' }, ['three', 'none']],
    [{ 'Regions[ne]': ['EMEA', ''] }, ['three']],
    // Of a checkbox false is less than true, and nothing is blank.
    [{ 'Open?': 'true' }, ['three']],
    [{ 'Open?': '' }, ['one', 'two', 'none']],
    [{ 'Open?[ne]': 'false' }, ['three']],
    [{ 'Open?[gt]': 'false' }, ['three']],
    [{ 'Open?[lt]': 'false' }, []],
    // Stages are in their order.
    [{ Stage: ['New', 'Done'] }, ['one', 'three', 'none']],
    [{ 'Stage[ne]': ['New', 'Done'] }, ['two']],
    [{ 'Stage[gt]': ['Done', 'In Review'] }, ['three']],
    [{ 'Stage[lte]': 'New' }, ['one', 'none']],
    // Several combine.
    [{ 'Number[gt]': '-2', 'Number[lt]': '10.5' }, ['two']],
    [{ Regions: 'EMEA', 'Regions[ne]': 'AMER' }, ['one']],
    [{ Tier: ['Gold', 'Bronze'], 'Stage[gt]': 'New' }, ['three']],
    [{ Tier: 'Gold', Number: '9' }, []],
    [{ 'Assigned To': '', Stage: 'New' }, ['none']],
  ])('%j', async (query, ids) => {
    expect(await idsOf(api, query)).toEqual(ids);
  });

  it("equality is that of the field's type", async () => {
    const equal = await service.clientOf(everyType.replaceAll('acme', 'equal'));
    for (const task of [
      { ID: 'ten', Number: 10, Price: '10', Text: '10' },
      { ID: 'also', Number: '10.0', Price: 10.0, Text: '10.0' },
      { ID: '01', Number: -0.5, Text: 'Été' },
      { ID: '1', Number: 0, Text: 'E\u0301te\u0301 ' },
      { ID: 'x', Moment: '2026-02-03T04:05:06.007+01:00', Owner: 'mina@equal.test' },
    ])
      await equal.post(tasks, task).expect(201);
    await expectFound(equal, [
      [{ Number: '10.00' }, ['ten', 'also']],
      [{ Price: '10.000' }, ['ten', 'also']],
      [{ Number: '-0.0' }, ['1']],
      [{ Number: '10.0001' }, []],
      [{ Text: '10' }, ['ten']],
      [{ Text: 'été' }, []],
      [{ Text: 'E\u0301te\u0301' }, ['01']],
      [{ Text: 'E\u0301te\u0301 ' }, ['1']],
      [{ ID: '1' }, ['1']],
      [{ Moment: '2026-02-02T22:05:06.0070-05:00' }, ['x']],
      [{ Owner: 'MINA@EQUAL.test' }, ['x']],
    ]);
  });

  it('a Unique ID may be blank', async () => {
    const fields = ['name: ID, type: uniqueId', 'name: Text, type: text'];
    const blank = await service.clientOf(workflowOf(fields, 'unnamed'));
    await blank.post(tasks, { ID: '1', Text: 'named' }).expect(201);
    await blank.post(tasks, { Text: 'unnamed' }).expect(201);
    const cases: Found[] = [
      [{ ID: '' }, ['unnamed']],
      [{ ID: ['', '1'] }, ['named', 'unnamed']],
      [{ 'ID[ne]': '1' }, ['unnamed']],
      [{ 'ID[gte]': '0' }, ['named']],
    ];
    for (const [query, texts] of cases)
      expect((await listOf(blank, query)).map(({ Text }) => Text)).toEqual(texts);
  });

  it('`contains` is a case-insensitive substring of text types', async () => {
    const texts = await service.clientOf(everyType.replaceAll('acme', 'texts'));
    for (const text of ['Straße', 'ΟΔΥΣΣΕΥΣ', '100% _sure_', 'C:\\temp', 'été', 'I am', '(a|b)*', 'ÿŸ'])
      await texts.post(tasks, { ID: text, Text: text, 'Long Text': `…\n${text}\n…` }).expect(201);
    const other = { Phone: '+1 555 0100 x12', 'E-mail': 'Anna@Acme.test', Website: 'https://Acme.test/A' };
    await texts.post(tasks, { ID: 'other', ...other }).expect(201);
    const cases: [string, string[]][] = [
      ['STRASS', ['Straße']],
      // ß is ß; Σ, σ and ς are one letter; letters with accents are letters of their own.
      ['straße', ['Straße']],
      ['οδυσσευς', ['ΟΔΥΣΣΕΥΣ']],
      ['ete', []],
      // % and _ are plain characters, and white space counts.
      ['%', ['100% _sure_']],
      ['_emp', []],
      [' ', ['100% _sure_', 'I am']],
      ['100% _SURE_', ['100% _sure_']],
    ];
    for (const name of ['Text[contains]', 'Long Text[contains]'])
      for (const [text, ids] of cases) await expectFound(texts, [[{ [name]: text }, ids]]);
    await expectFound(texts, [
      [{ 'Long Text[contains]': '\nSTRASSE\n' }, ['Straße']],
      [{ 'Phone[contains]': '0100 X1' }, ['other']],
      [{ 'E-mail[contains]': 'ANNA@acme' }, ['other']],
      [{ 'Website[contains]': '//acme' }, ['other']],
      [{ 'ID[contains]': 'STRASSE' }, ['Straße']],
      [{ 'Text[contains]': ['%', 'ss', 'none'] }, ['Straße', '100% _sure_']],
      [{ 'Text[contains]': 'x'.repeat(1000) }, []],
    ]);
  });

  it('an operator that a type lacks, and an order of blanks, are 422', async () => {
    const numbers = ['Number', 'Price', 'Day', 'Moment', 'Tier', 'Open?', 'Owner', 'Assigned To', 'Stage'];
    const refused = [
      ...[...numbers, '_created'].map((name) => [
        `${name}[contains]`,
        'true',
        'cannot be compared by contains',
      ]),
      ...orders.map((order) => [`Regions[${order}]`, 'EMEA', `cannot be compared by ${order}`]),
      ...orders.map((order) => [`Text[${order}]`, '', `cannot be compared with blank by ${order}`]),
      ['Long Text[contains]', 'x'.repeat(1001), 'is longer than 1,000 characters'],
      ['ID[contains]', '', 'cannot be compared with blank by contains'],
      ['Text[contains]', 'a\0b', 'contains a character that cannot be stored'],
    ];
    const query = Object.fromEntries(refused) as Query;
    const errors = Object.fromEntries(refused.map(([name, , message]) => [name, [message]]));
    expect(await refusalOf(api, query)).toEqual(errors);
  });

  it('more than ten values are allowed, too; pages of many IDs are in the order of creation', async () => {
    const numbers = Array.from({ length: 12 }, (_, n) => `${n}.0`);
    // An option may be spelled like a list of options.
    const options = JSON.stringify([...numbers, 'A', '["A"]']);
    const fields = ['name: Number, type: number', `name: Tags, type: multipleSelect, options: ${options}`];
    const many = await service.clientOf(workflowOf([uniqueId, ...fields], 'many'));
    for (const n of [3, 14, 1, 12, 2]) await many.post(tasks, { ID: `${n}`, Number: n }).expect(201);
    await many.post(tasks, { ID: 'option', Tags: ['A', '1.0'] }).expect(201);
    await many.post(tasks, { ID: 'list', Tags: ['["A"]'] }).expect(201);
    const ids = ['1', '2', '3', '12', '14'];
    await expectFound(many, [
      [{ Number: [...numbers, ''] }, ['3', '1', '2', 'option', 'list']],
      [{ 'Number[ne]': numbers }, ['14', '12', 'option', 'list']],
      [{ ID: ids, _sort: '-_created' }, ['2', '12', '1', '14', '3']],
      [{ ID: ids, _limit: '2' }, ['3', '14']],
      [{ 'ID[ne]': ['1', '2', ...numbers] }, ['3', '14', '12', 'option', 'list']],
      [{ Tags: '["A"]' }, ['list']],
      [{ Tags: [...numbers, '["A"]'] }, ['option', 'list']],
      [{ 'Tags[contains]': numbers }, ['option']],
      [{ 'Tags[ne]': numbers }, ['3', '14', '1', '12', '2', 'list']],
    ]);
  });

  it('options are in the current order of the definition; a removed option is last, but is found', async () => {
    const selects = (options: string, stages: string): string =>
      workflowOf([
        uniqueId,
        `name: Tier, type: singleSelect, options: [${options}]`,
        `name: Tags, type: multipleSelect, options: [${options}]`,
      ], 'options').replace('{ name: New }, { name: Done, end: true }', stages); // prettier-ignore
    const client = await service.clientOf(selects('A, B, C, D', '{ name: First }, { name: Second }'));
    for (const option of ['D', 'C', 'B', 'A']) {
      const Stage = option < 'C' ? 'First' : 'Second';
      await client.post(tasks, { ID: option, Tier: option, Tags: [option], Stage }).expect(201);
    }
    await client.post(tasks, { ID: 'blank' }).expect(201);
    await service.apply(selects('A, C', '{ name: First }, { name: Second }'));
    await expectFound(client, [
      [{ 'Tier[gt]': 'C' }, ['D', 'B']],
      [{ 'Tier[lte]': 'C' }, ['C', 'A']],
      [{ 'Tier[ne]': '' }, ['D', 'C', 'B', 'A']],
      [{ Tier: 'B' }, ['B']],
      [{ Tags: 'B' }, ['B']],
      [{ 'Tier[ne]': 'B' }, ['D', 'C', 'A', 'blank']],
    ]);
    const isUnknown = ['is not one of: A, C'];
    const unknown = { Tier: isUnknown, 'Tier[gt]': isUnknown, Tags: isUnknown };
    expect(await refusalOf(client, { Tier: 'E', 'Tier[gt]': 'B', Tags: 'E' })).toEqual(unknown);
    await service.apply(selects('D, C, B, A', '{ name: Second }, { name: First }'));
    await expectFound(client, [
      [{ 'Tier[gt]': 'C' }, ['B', 'A']],
      [{ 'Stage[lt]': 'First' }, ['D', 'C']],
    ]);
  });

  it('people are in the order of their current e-mails, and a user who left is still found', async () => {
    const people = (users: string): string =>
      workflowOf([uniqueId, 'name: Owner, type: person'], 'people').replace(
        '{ email: mina@acme.test }',
        users,
      );
    const client = await service.clientOf(people('{ email: a@x.test }, { email: b@x.test }'));
    for (const name of ['a', 'b'])
      await client.post(tasks, { ID: name, Owner: `${name}@x.test`, 'Assigned To': `${name}@x.test` });
    await service.apply(people('{ email: c@x.test, was: a@x.test, active: false }, { email: b@x.test }'));
    await expectFound(client, [
      [{ Owner: 'c@x.test' }, ['a']],
      [{ 'Owner[gt]': 'b@x.test' }, ['a']],
      [{ 'Assigned To[gte]': 'c@x.test' }, ['a']],
    ]);
    const errors = { Owner: ['is not a user of this workspace'] };
    expect(await refusalOf(client, { Owner: 'a@x.test' })).toEqual(errors);
  });

  it('/tasks/active takes the same parameters, and refuses the same', async () => {
    const cases: Found[] = [
      [{}, ['one', 'two', 'none']],
      [{ 'Text[ne]': 'Zebra' }, ['two', 'none']],
      [{ Stage: 'Done' }, []],
      [{ _sort: '-Number', _limit: '2' }, ['two', 'one']],
    ];
    for (const [query, ids] of cases)
      expect(await api.read(`${tasks}/active?${textOf(query)}`)).toMatchObject(ids.map((ID) => ({ ID })));
    const errors = { Nope: ['is not a field of this workflow'], Parts: ['cannot be filtered'] };
    await api.get(`${tasks}/active?Nope=1&Parts=`).expect(422, { errors });
  });

  it('an exact field name wins over the bracket reading', async () => {
    const fields = ['Amount, type: number', '"Amount[gt]", type: text', '"[ne]", type: text'];
    const yaml = workflowOf([uniqueId, ...fields.map((field) => `name: ${field}`)], 'named');
    const named = await service.clientOf(yaml);
    await named.post(tasks, { ID: 'a', Amount: 5, 'Amount[gt]': '3', '[ne]': 'x' }).expect(201);
    await named.post(tasks, { ID: 'b', Amount: 2, 'Amount[gt]': 'three' }).expect(201);
    await expectFound(named, [
      [{ 'Amount[gt]': '3' }, ['a']],
      [{ 'Amount[gt]': 'three' }, ['b']],
      [{ 'Amount[gte]': '3' }, ['a']],
      [{ 'Amount[gt][ne]': '3' }, ['b']],
      [{ '[ne]': 'x' }, ['a']],
      [{ '[ne][ne]': 'x' }, ['b']],
    ]);
  });
});

describe('4.1 `_sort` (`Field` or `-Field`)', () => {
  it.each([
    ...[...ordered.map(([name]) => name), 'Regions'].flatMap((name): [string, string[]][] => [
      [name, ['one', 'two', 'three', 'none']],
      [`-${name}`, ['three', 'two', 'one', 'none']],
    ]),
    ['ID', ['none', 'one', 'three', 'two']],
    ['-ID', ['two', 'three', 'one', 'none']],
    ['_created', ['one', 'two', 'three', 'none']],
    ['-_created', ['none', 'three', 'two', 'one']],
    // Those that are equal stand in the order of creation.
    ['Stage', ['one', 'none', 'two', 'three']],
    ['-Stage', ['three', 'two', 'one', 'none']],
    ['Open?', ['one', 'two', 'none', 'three']],
    ['-Open?', ['three', 'one', 'two', 'none']],
    ['Stage,-_created', ['none', 'one', 'two', 'three']],
    ['Open?,-Tier,-_created', ['two', 'one', 'none', 'three']],
  ])('by %s: all at once, and page by page; blanks stand last in both directions', async (_sort, ids) => {
    expect(await idsOf(api, { _sort })).toEqual(ids);
    expect((await pagesOf(api, { _sort, _limit: '2' })).flat()).toEqual(ids);
  });
});

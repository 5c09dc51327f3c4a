import { everyType, workflowOf } from '../support/definitions.js';
import { type Client } from '../support/service.js';
import { idsOf, listOf, type Query, refusalOf, service, tasks, textOf, uniqueId } from './lists.js';

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

describe('4.1 filters', () => {
  /** That each of these queries finds just these tasks, in this order. */
  async function expectFound(client: Client, cases: readonly [Query, string[]][]): Promise<void> {
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
    const blanks = Object.fromEntries(['gt', 'gte', 'lt', 'lte'].map((order) => [`${name}[${order}]`, '']));
    expect(Object.values((await refusalOf(api, blanks)) as object)).toEqual(
      ['gt', 'gte', 'lt', 'lte'].map((order) => [`cannot be compared with blank by ${order}`]),
    );
  });

  it('equality is under the type of the field', async () => {
    const equal = await service.clientOf(everyType.replaceAll('acme', 'equal'));
    await equal.post(tasks, { ID: 'ten', Number: 10, Price: '10', Text: '10' }).expect(201);
    await equal.post(tasks, { ID: 'also', Number: '10.0', Price: 10.0, Text: '10.0' }).expect(201);
    await equal.post(tasks, { ID: '01', Number: -0.5, Text: 'Été' }).expect(201);
    await equal.post(tasks, { ID: '1', Number: 0, Text: 'E\u0301te\u0301 ' }).expect(201);
    const timed = { ID: 'x', Moment: '2026-02-03T04:05:06.007+01:00', Owner: 'mina@equal.test' };
    await equal.post(tasks, timed).expect(201);
    await expectFound(equal, [
      [{ Number: '10.00' }, ['ten', 'also']],
      [{ Price: '10.000' }, ['ten', 'also']],
      [{ Number: '-0.0' }, ['1']],
      [{ Number: '10.0001' }, []],
      [{ Text: '10' }, ['ten']],
      [{ Text: 'été' }, []],
      [{ Text: 'Été' }, ['01']],
      [{ Text: 'E\u0301te\u0301' }, ['01']],
      [{ Text: 'E\u0301te\u0301 ' }, ['1']],
      [{ ID: '1' }, ['1']],
      [{ Moment: '2026-02-02T22:05:06.0070-05:00' }, ['x']],
      [{ Owner: 'MINA@EQUAL.test' }, ['x']],
    ]);
  });

  it('of the Unique ID, which is compared as a text', async () => {
    await expectFound(api, [
      [{ ID: ['two', 'none', 'nobody'] }, ['two', 'none']],
      [{ 'ID[ne]': ['two', 'none'] }, ['one', 'three']],
      [{ 'ID[gt]': 'one' }, ['two', 'three']],
      [{ 'ID[lte]': 'one' }, ['one', 'none']],
      [{ 'ID[contains]': 'O' }, ['one', 'two', 'none']],
      [{ ID: '' }, []],
    ]);
    const blank = await service.clientOf(workflowOf(['name: ID, type: uniqueId', 'name: Text, type: text'], 'unnamed')); // prettier-ignore
    await blank.post(tasks, { ID: '1', Text: 'named' }).expect(201);
    await blank.post(tasks, { Text: 'unnamed' }).expect(201);
    const textsOf = async (query: Query): Promise<unknown[]> =>
      (await listOf(blank, query)).map(({ Text }) => Text);
    expect(await textsOf({ ID: '' })).toEqual(['unnamed']);
    expect(await textsOf({ ID: ['', '1'] })).toEqual(['named', 'unnamed']);
    expect(await textsOf({ 'ID[ne]': '1' })).toEqual(['unnamed']);
    expect(await textsOf({ 'ID[gte]': '0' })).toEqual(['named']);
  });

  it('of a multipleSelect, by membership; it has no order', async () => {
    await expectFound(api, [
      [{ Regions: 'EMEA' }, ['one', 'two']],
      [{ 'Regions[contains]': 'EMEA' }, ['one', 'two']],
      [{ Regions: ['EMEA', 'APAC'] }, ['one', 'two', 'three']],
      [{ 'Regions[contains]': ['AMER', 'APAC'] }, ['two', 'three']],
      [{ Regions: ['', 'APAC'] }, ['three', 'none']],
      [{ 'Regions[ne]': 'EMEA' }, ['three', 'none']],
      [{ 'Regions[ne]': ['EMEA', ''] }, ['three']],
    ]);
    for (const order of ['gt', 'gte', 'lt', 'lte'])
      expect(await refusalOf(api, { [`Regions[${order}]`]: 'EMEA' })).toEqual({
        [`Regions[${order}]`]: [`cannot be compared by ${order}`],
      });
  });

  it('of a checkbox, where false is less than true and nothing is blank', async () => {
    await expectFound(api, [
      [{ 'Open?': 'true' }, ['three']],
      [{ 'Open?': '' }, ['one', 'two', 'none']],
      [{ 'Open?': ['true', 'false'] }, ['one', 'two', 'three', 'none']],
      [{ 'Open?[ne]': 'false' }, ['three']],
      [{ 'Open?[gt]': 'false' }, ['three']],
      [{ 'Open?[gte]': 'true' }, ['three']],
      [{ 'Open?[lt]': 'false' }, []],
      [{ 'Open?[lte]': 'false' }, ['one', 'two', 'none']],
    ]);
  });

  it('of the Stage, in the order of the stages', async () => {
    await expectFound(api, [
      [{ Stage: ['New', 'Done'] }, ['one', 'three', 'none']],
      [{ 'Stage[ne]': ['New', 'Done'] }, ['two']],
      [{ 'Stage[gt]': ['Done', 'In Review'] }, ['three']],
      [{ 'Stage[gte]': 'In Review' }, ['two', 'three']],
      [{ 'Stage[lt]': 'New' }, []],
      [{ 'Stage[lte]': 'New' }, ['one', 'none']],
    ]);
  });

  describe('`contains` is a case-insensitive substring of text types', () => {
    let texts: Client;

    beforeAll(async () => {
      texts = await service.clientOf(everyType.replaceAll('acme', 'texts'));
      const list = ['Straße', 'ΟΔΥΣΣΕΥΣ', '100% _sure_', 'C:\\temp', 'été', 'I am', '(a|b)*', 'ÿŸ'];
      for (const text of list)
        await texts.post(tasks, { ID: text, Text: text, 'Long Text': `…\n${text}\n…` });
      const other = { Phone: '+1 555 0100 x12', 'E-mail': 'Anna@Acme.test', Website: 'https://Acme.test/A?b=C' };
      await texts.post(tasks, { ID: 'other', ...other }).expect(201);
    }); // prettier-ignore

    it.each([
      ['any case', 'STRASS', ['Straße']],
      ['ß is ß', 'straße', ['Straße']],
      ['Σ, σ and ς are one letter', 'οδυσσευς', ['ΟΔΥΣΣΕΥΣ']],
      ['letters with accents are letters of their own', 'ete', []],
      ['% is a plain character', '%', ['100% _sure_']],
      ['_ is a plain character', '_emp', []],
      ['white space counts', ' ', ['100% _sure_', 'I am']],
      ['the whole is a part of itself', '100% _SURE_', ['100% _sure_']],
    ])('%s: %j', async (_, text, ids) => {
      expect(await idsOf(texts, { 'Text[contains]': text })).toEqual(ids);
      expect(await idsOf(texts, { 'Long Text[contains]': text })).toEqual(ids);
    });

    it('of all text types, and any-of where it is repeated', async () => {
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

    it('of nothing else, of at most 1,000 characters, and never blank: 422', async () => {
      const others = ['Number', 'Price', 'Day', 'Moment', 'Tier', 'Open?', 'Owner', 'Assigned To', 'Stage', '_created']; // prettier-ignore
      for (const name of others)
        expect(await refusalOf(api, { [`${name}[contains]`]: 'true' })).toEqual({
          [`${name}[contains]`]: ['cannot be compared by contains'],
        });
      const refused = [
        ['x'.repeat(1001), 'is longer than 1,000 characters'],
        ['', 'cannot be compared with blank by contains'],
        ['a\0b', 'contains a character that cannot be stored'],
      ] as const;
      for (const [text, message] of refused)
        expect(await refusalOf(api, { 'Text[contains]': text })).toEqual({ 'Text[contains]': [message] });
    });
  });

  it('more than ten values are any-of, too; pages of many IDs are in the order of creation', async () => {
    const many = await service.clientOf(everyType.replaceAll('acme', 'many'));
    for (const n of [3, 14, 1, 12, 2])
      await many.post(tasks, { ID: `${n}`, Text: `t${n}`, Number: n }).expect(201);
    await many.post(tasks, { ID: 'blank' }).expect(201);
    const numbers = Array.from({ length: 12 }, (_, n) => `${n}.0`);
    const ids = ['1', '2', '3', '12', '14'];
    await expectFound(many, [
      [{ Number: [...numbers, ''] }, ['3', '1', '2', 'blank']],
      [{ 'Number[ne]': numbers }, ['14', '12', 'blank']],
      [{ Text: numbers.map((_, n) => `t${n}`) }, ['3', '1', '2']],
      [{ ID: ids, _sort: '-_created' }, ['2', '12', '1', '14', '3']],
      [{ ID: ids, _limit: '2' }, ['3', '14']],
      [{ 'ID[ne]': ['1', '2', ...numbers] }, ['3', '14', '12', 'blank']],
    ]);
    // An option may be spelled like a list of options.
    const options = [...numbers, 'A', '["A"]'];
    const tags = `name: Tags, type: multipleSelect, options: ${JSON.stringify(options)}`;
    const tagged = await service.clientOf(workflowOf([uniqueId, tags], 'tagged'));
    await tagged.post(tasks, { ID: 'option', Tags: ['A', '1.0'] }).expect(201);
    await tagged.post(tasks, { ID: 'list', Tags: ['["A"]'] }).expect(201);
    await expectFound(tagged, [
      [{ Tags: '["A"]' }, ['list']],
      [{ Tags: [...numbers, '["A"]'] }, ['option', 'list']],
      [{ 'Tags[contains]': numbers }, ['option']],
      [{ 'Tags[ne]': numbers }, ['list']],
    ]);
  });

  describe('options and people', () => {
    const selects = (tiers: string, stages = '{ name: First }, { name: Second }'): string =>
      workflowOf([uniqueId, `name: Tier, type: singleSelect, options: [${tiers}]`, `name: Tags, type: multipleSelect, options: [${tiers}]`], 'options') // prettier-ignore
        .replace('{ name: New }, { name: Done, end: true }', stages);
    let options: Client;

    beforeAll(async () => {
      options = await service.clientOf(selects('A, B, C, D'));
      for (const option of ['D', 'C', 'B', 'A']) {
        const Stage = option < 'C' ? 'First' : 'Second';
        await options.post(tasks, { ID: option, Tier: option, Tags: [option], Stage }).expect(201);
      }
      await options.post(tasks, { ID: 'blank' }).expect(201);
    });

    it('a stored option that the definition no longer has stands behind the others, and is still found', async () => {
      await service.apply(selects('A, C'));
      await expectFound(options, [
        [{ 'Tier[gt]': 'C' }, ['D', 'B']],
        [{ 'Tier[lte]': 'C' }, ['C', 'A']],
        [{ 'Tier[ne]': '' }, ['D', 'C', 'B', 'A']],
        [{ Tier: 'B' }, ['B']],
        [{ Tags: 'B' }, ['B']],
        [{ 'Tier[ne]': 'B' }, ['D', 'C', 'A', 'blank']],
      ]);
      const isUnknown = ['is not one of: A, C'];
      expect(await refusalOf(options, { Tier: 'E', 'Tier[gt]': 'B', Tags: 'E' })).toEqual({
        Tier: isUnknown,
        'Tier[gt]': isUnknown,
        Tags: isUnknown,
      });
      expect((await options.put(tasks, { ID: 'blank', Tier: 'B' })).body).toEqual({
        errors: { Tier: isUnknown },
      });
    });

    it('the order is that of today’s definition', async () => {
      await service.apply(selects('D, C, B, A', '{ name: Second }, { name: First }'));
      await expectFound(options, [
        [{ 'Tier[gt]': 'C' }, ['B', 'A']],
        [{ 'Stage[lt]': 'First' }, ['D', 'C']],
      ]);
    });

    it('people are in the order of their e-mails of today, and one who left is still somebody', async () => {
      const people = (users: string): string =>
        workflowOf([uniqueId, 'name: Owner, type: person'], 'people').replace('[{ email: mina@acme.test }]', users); // prettier-ignore
      const client = await service.clientOf(people('[{ email: a@x.test }, { email: b@x.test }]'));
      for (const name of ['a', 'b'])
        await client.post(tasks, { ID: name, Owner: `${name}@x.test`, 'Assigned To': `${name}@x.test` });
      await service.apply(people('[{ email: c@x.test, was: a@x.test, active: false }, { email: b@x.test }]'));
      await expectFound(client, [
        [{ Owner: 'c@x.test' }, ['a']],
        [{ 'Owner[gt]': 'b@x.test' }, ['a']],
        [{ 'Assigned To[gte]': 'c@x.test' }, ['a']],
      ]);
      expect(await refusalOf(client, { Owner: 'a@x.test' })).toEqual({
        Owner: ['is not a user of this workspace'],
      });
    });
  });

  it('filters combine', async () => {
    await expectFound(api, [
      [{ 'Number[gt]': '-2', 'Number[lt]': '10.5' }, ['two']],
      [{ 'Number[ne]': '9', 'Text[ne]': '' }, ['one', 'three']],
      [{ Regions: 'EMEA', 'Regions[ne]': 'AMER' }, ['one']],
      [{ Tier: ['Gold', 'Bronze'], 'Stage[gt]': 'New' }, ['three']],
      [{ Tier: 'Gold', Number: '9' }, []],
      [{ ID: 'one', Tier: 'Gold', Regions: 'EMEA', Stage: 'New', 'Assigned To': 'mina@acme.test' }, ['one']],
      [{ 'Assigned To': '', Stage: 'New' }, ['none']],
    ]);
  });

  it('/tasks/active takes the same parameters, and refuses the same', async () => {
    const active = async (query: Query): Promise<unknown[]> => {
      const { body } = await api.get(`${tasks}/active?${textOf(query)}`).expect(200);
      return (body as { ID: string }[]).map(({ ID }) => ID);
    };
    expect(await active({})).toEqual(['one', 'two', 'none']);
    expect(await active({ 'Text[ne]': 'Zebra' })).toEqual(['two', 'none']);
    expect(await active({ Stage: 'Done' })).toEqual([]);
    expect(await active({ _sort: '-Number', _limit: '2' })).toEqual(['two', 'one']);
    const { body } = await api.get(`${tasks}/active?Nope=1&Parts=`).expect(422);
    expect(body).toEqual({
      errors: { Nope: ['is not a field of this workflow'], Parts: ['cannot be filtered'] },
    });
  });

  it('an exact field name wins over the bracket reading', async () => {
    const fields = ['Amount, type: number', '"Amount[gt]", type: text', '"[ne]", type: text'];
    const named = await service.clientOf(workflowOf([uniqueId, ...fields.map((field) => `name: ${field}`)], 'named')); // prettier-ignore
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

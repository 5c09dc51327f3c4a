import fc from 'fast-check';
import { everyType } from '../support/definitions.js';
import { type Client, startService, type TestService } from '../support/service.js';

const tasks = '/api/v1/workflows/things/tasks';

describe('2.1 tasks and their fields', () => {
  let service: TestService;
  let api: Client;

  beforeAll(async () => {
    service = await startService();
    await service.apply(everyType);
    api = service.client(await service.key('acme'));
  });
  afterAll(() => service.stop());

  // What is sent, and what every later read shows; the full table of a type stands beside its code.
  it.each<[string, string, unknown, unknown]>([
    ['text', 'Text', 'a\tb "c" \\ 🦊', 'a\tb "c" \\ 🦊'],
    ['a number where text is expected', 'Text', 1.5, '1.5'],
    ['long text with line breaks', 'Long Text', 'a\r\nb\n', 'a\r\nb\n'],
    ['a number, serialized as a string', 'Number', 10, '10'],
    ['a number sent as a string', 'Number', '-12.500', '-12.5'],
    ['an amount, with its decimals', 'Price', 10000, '10000.00'],
    ['a phone number, as sent', 'Phone', '+49 (0)30 / 123-45', '+49 (0)30 / 123-45'],
    ['a date', 'Day', '2024-02-29', '2024-02-29'],
    ['an instant, in UTC', 'Moment', '2026-11-21T23:30:00.5-02:00', '2026-11-22T01:30:00.500Z'],
    ['a person, in any case', 'Owner', 'MINA@ACME.TEST', 'Mina@acme.test'],
    ['an option', 'Tier', 'Silver', 'Silver'],
    ['options, in the order of the definition', 'Regions', ['APAC', 'EMEA'], ['EMEA', 'APAC']],
    ['a boolean', 'Open?', true, true],
    ['a boolean sent as a string', 'Open?', 'true', true],
    ['an e-mail address, as sent', 'E-mail', 'Some.One@Example.test', 'Some.One@Example.test'],
    ['a URL, as sent', 'Website', 'https://example.test/a?b=c#d', 'https://example.test/a?b=c#d'],
    ['no file yet', 'Contract', [], []],
    ['no link yet', 'Parts', [], []],
    ['null, which blanks', 'Text', null, null],
    ['an empty string, which blanks', 'Number', '', null],
    ['an empty array, which blanks', 'Regions', [], []],
    ['false', 'Open?', false, false],
  ])('%s', async (_, name, sent, shown) => {
    await api.post(tasks, { ID: 'field', [name]: sent }).expect((answer) => {
      expect(answer.body).toMatchObject({ ID: 'field', [name]: shown });
    });
    const { body } = await api.get(`${tasks}/field`).expect(200);
    expect(body).toMatchObject({ [name]: shown });
  });

  it('any payload is stored as it will be read, or refused whole', async () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
    const value = fc.oneof(text, fc.double().map(String), fc.constant(null), fc.boolean(), fc.array(text));
    const names = Object.keys((await api.post(tasks, { ID: 'law' })).body as object).filter(
      (name) => name !== 'ID',
    );
    const payload = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5 });
    await fc.assert(
      fc.asyncProperty(payload, async (fields) => {
        const { text: before } = await api.get(`${tasks}/law`);
        const answer = await api.put(tasks, { ...fields, ID: 'law' });
        const { text: after } = await api.get(`${tasks}/law`);
        expect([200, 422]).toContain(answer.status);
        expect(after).toBe(answer.status === 200 ? answer.text : before);
        expect((await api.put(tasks, after).expect(200)).text).toBe(after);
      }),
      { numRuns: 150 },
    );
  });
});

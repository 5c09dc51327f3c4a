import { toNfc } from '../../packages/exact-json/nfc.js';
import { signIn } from '../support/console.js';
import { startServiceWith } from '../support/service.js';

const composed = 'caf\u00e9';
const apart = 'cafe\u0301';
const both = [composed, apart];

/** Every name is written with the accent apart. */
const yaml = (workspace: string): string => `
workspace: { id: ${workspace}, name: "${apart}" }
users: [{ email: "${apart}@acme.test", first_name: "${apart}" }]
workflows:
  - id: things
    name: Things
    search: true
    stages: [{ name: "New ${apart}" }, { name: Done, end: true }]
    fields:
      - { name: "ID ${apart}", type: uniqueId, required: true }
      - { name: "Text ${apart}", type: text }
      - { name: Pick, type: singleSelect, options: ["${apart}", other] }
      - { name: Picks, type: multipleSelect, options: ["${apart}", other] }
      - { name: Files, type: file }
    actions:
      - { id: go, name: Go, requirements: { conditions: [{ when: 'task["Text ${apart}"] == "${apart}"', message: no }] } }
      - { id: join, name: Join, start: by_rules, steps: [{ name: Join, type: update_fields, set: { Pick: "{{Text ${apart}}}\u0301", Picks: { expression: '["cafe" + "\u0301"]' } } }] }
    rules: [{ id: join, on: created, when: 'task["Text ${apart}"] == "cafe"', run: join }]
relationships:
  - { id: next, kind: one_to_many, from: { workflow: things, name: "Next ${apart}" }, to: { workflow: things, name: Former } }
`;
const tasks = '/api/v1/workflows/things/tasks';
const url = encodeURIComponent;

const { service, api } = await startServiceWith(yaml('acme'));
await api
  .post(tasks, { [`ID ${apart}`]: apart, [`Text ${apart}`]: apart, 'Assigned To': `${apart}@acme.test` })
  .expect(201);

describe('4 all texts are stored, compared and looked up in NFC', () => {
  it.each(both)('a Unique ID is the same however its accents are encoded: %j', async (id) => {
    const { body } = await api.post(tasks, { [`ID ${id}`]: id, [`Text ${id}`]: id, Pick: id, Picks: [id] }).expect(200); // prettier-ignore
    expect(body).toMatchObject({
      Stage: `New ${composed}`,
      'Assigned To': `${composed}@acme.test`,
      [`ID ${composed}`]: composed,
      [`Text ${composed}`]: composed,
      Pick: composed,
      Picks: [composed],
    });
    await api.get(`${tasks}/${url(id)}`).expect(200);
    await api.get(`${tasks}/${url(id)}/actions`).expect(200, [{ id: 'go', name: 'Go' }]);
  });

  it.each(
    both.flatMap((text) => [
      [`${url(`ID ${text}`)}=${url(text)}`],
      [`${url(`Text ${text}`)}=${url(text)}&_sort=${url(`Text ${text}`)}`],
      [`${url(`Text ${text}`)}[contains]=${url(text.slice(2))}`],
      [`_any=${url(`Pick=${url(text)}`)}`],
      [`Picks=${url(text)}`],
      [`Stage=${url(`New ${text}`)}`],
      [`${url('Assigned To')}=${url(`${text}@acme.test`)}`],
      [`_search=${url(text)}`],
    ]),
  )('a list finds the text by %s', async (query) => {
    expect(await api.read(`${tasks}?${query}`)).toHaveLength(1);
  });

  it.each(both)('links, comments, checklists and file names: %j', async (text) => {
    const id = `other of ${text}`;
    const file = { filename: `${text}.txt`, contentType: 'text/plain', base64contents: 'YQ==' };
    const sent = { [`ID ${text}`]: id, Former: { [`ID ${text}`]: text }, Files: [file] };
    const linked = { Former: { [`ID ${composed}`]: composed }, Files: [{ filename: `${composed}.txt` }] };
    expect(await api.send(tasks, sent)).toMatchObject(linked);
    await api.put(`${tasks}/${url(text)}/links/${url(`Next ${text}`)}/${url(id)}`).expect(204);
    const said = await api.send(`${tasks}/${url(id)}/comments`, { body: text });
    expect(said).toMatchObject({ body: composed });
    const item = { title: text, Stage: `New ${text}` };
    const made = await api.send(`${tasks}/${url(id)}/checklist_items`, item);
    expect(made).toMatchObject({ title: composed, Stage: `New ${composed}` });
  });

  it('a text that a step joins from two', async () => {
    await api.post(tasks, { [`ID ${apart}`]: 'joined', [`Text ${apart}`]: 'cafe' }).expect(201);
    await service.settle();
    expect(await api.read(`${tasks}/joined`)).toMatchObject({ Pick: composed, Picks: [composed] });
  });

  it('a text in a form of the console', async () => {
    const browser = await signIn(service, `${composed}@acme.test`);
    await browser.post('/workflows/things/new', { _key: 'once', [`ID ${apart}`]: `form ${apart}` });
    await api.get(`${tasks}/${url(`form ${composed}`)}`).expect(200);
  });

  it('a name that a body has in both forms is given twice', async () => {
    await api.post(tasks, { [`ID ${apart}`]: 'twice', [`ID ${composed}`]: 'twice' }).expect(400);
  });
});

describe('a text in NFC', () => {
  it('is made in linear time, however many marks a letter has', () => {
    const many = `a${'\u0301\u0316'.repeat(200_000)}`;
    const text = toNfc(many);
    expect(text.replaceAll('\u034f', '')).toHaveLength(many.length - 1);
    expect(toNfc(text)).toBe(text);
  });

  it.each(['\u0344'.repeat(100), `a${'\u0316\u0301'.repeat(31)}`, 'e\u0301', '\ud800e\u0301'])(
    'is already NFC: %j',
    (text) => {
      expect(toNfc(toNfc(text))).toBe(toNfc(text));
      expect(toNfc(text).normalize('NFC')).toBe(toNfc(text));
    },
  );
});

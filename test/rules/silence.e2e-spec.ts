import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Test } from 'supertest';
import { taskCommands } from '../../src/cli/task.commands.js';
import { commandNamed, wts } from '../support/command-line.js';
import { type Client } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { recordedRuns } from './hooks.js';
import { type RulesSetting, rulesOfFile, tickets } from './rules.js';

// Rules follow all writes, imports too; silence is asked for and stands in event and run.
let setting: RulesSetting;
const startRules = await rulesOfFile();
beforeEach(async () => {
  setting = await startRules([
    'id: made, on: created, run: fill',
    'id: left, on: field_changed, field: Note, run: review',
    'id: joined, on: linked, relationship: orders, run: fill',
    'id: said, on: commented, run: fill',
  ]);
});

const silently = '?_silent=true';
const at = `${tickets}/1`;

/** Every way to write that can be silent. */
const writes: readonly (readonly [string, (api: Client, query: string) => Test])[] = [
  ['POST a task', (api, query) => api.post(tickets + query, { ID: '2' })],
  ['PUT a task', (api, query) => api.put(tickets + query, { ID: '1', Note: 'x' })],
  ['a batch', (api, query) => ofOneLine(api.post(`${tickets}/batch${query}`, { ID: '3' }))],
  ['a link', (api, query) => api.put(`${at}/links/Orders/o${query}`)],
  ['the end of a link', (api, query) => api.delete(`${at}/links/Orders/o${query}`)],
  ['a comment', (api, query) => api.post(`${at}/comments${query}`, { body: 'Well' })],
  ['an item', (api, query) => api.post(`${at}/checklist_items${query}`, { title: 'Go', Stage: 'New' })],
  ['DELETE a task', (api, query) => api.delete(at + query)],
];

/** Reads an answer of lines that is one line. */
function ofOneLine(test: Test): Test {
  return test.buffer().parse((response, done) => {
    let text = '';
    response.on('data', (piece: Buffer) => (text += piece.toString()));
    response.on('end', () => {
      done(null, JSON.parse(text));
    });
  });
}

async function begin(): Promise<void> {
  await setting.api.post('/api/v1/workflows/orders/tasks', { Order: 'o' }).expect(201);
  await setting.api.post(tickets, { ID: '1' }).expect(201);
}

it('a silent write starts no rule: the event says so, and the run is silenced', async () => {
  await begin();
  const before = (await recordedRuns(setting)).length;
  for (const [, write] of writes) {
    const { status } = await write(setting.admin, silently);
    expect(status).toBeLessThan(300);
  }
  const silenced = (await recordedRuns(setting)).slice(before);
  expect(silenced.map(({ starter_id, result }) => [starter_id, result])).toEqual(
    ['made', 'left', 'made', 'joined', 'said'].map((id) => [id, 'silenced']),
  );
  expect(silenced[0]?.because).toBe('the change was made silently');
  const told = await setting.admin.read('/api/v1/events?unique_id=3');
  expect(told).toMatchObject([{ data: { silent: true } }]);
});

it('`_silent` needs a key of scope admin, and changes nothing else', async () => {
  await begin();
  for (const [what, write] of writes) {
    const { status: forbidden } = await write(setting.api, silently);
    const { status: invalid } = await write(setting.admin, '?_silent=yes');
    expect([what, forbidden, invalid]).toEqual([what, 403, 422]);
  }
  await setting.admin.post(`${tickets}?_silent=true&_silent=false`, { ID: '9' }).expect(422);
  await setting.admin.post(`${tickets}?_silent=true&other=1`, { ID: '9' }).expect(422);
  await setting.admin.get(`${at}${silently}`).expect(422);
  await setting.api.post(`${tickets}?_silent=false`, { ID: '9' }).expect(201);
});

const folder = await temporaryFolder();

describe('wts import', () => {
  async function importRows(count: number, ...more: string[]) {
    const rows = Array.from({ length: count }, (_, at) => JSON.stringify({ ID: `r${at}` }));
    await writeFile(join(folder, 'rows.ndjson'), rows.join('\n'));
    const { databaseUrl = '' } = setting.service.config;
    const given = ['rows.ndjson', '--workspace', setting.slug, '--workflow', 'tickets', ...more];
    return wts(commandNamed('import', taskCommands()), given, databaseUrl, folder);
  }

  it('must say for more than 100 rows whether rules run, or nothing is written', async () => {
    const { code, err } = await importRows(101);
    expect(code).toBe(1);
    expect(err).toContain('it has more than 100 rows, and each could start rules of workflow tickets');
    expect(await setting.api.read(tickets)).toEqual([]);
    expect(await importRows(100)).toMatchObject({
      code: 0,
      out: '100 rows: 100 created, 0 updated, 0 unchanged, 0 rejected\n',
    });
    const runs = await recordedRuns(setting);
    expect(new Set(runs.map(({ result }) => result))).toEqual(new Set(['started']));
  });

  it('is silent with --rules skip, and starts rules with --rules run', async () => {
    expect((await importRows(101, '--rules', 'skip')).code).toBe(0);
    const silenced = await recordedRuns(setting);
    expect(new Set(silenced.map(({ result }) => result))).toEqual(new Set(['silenced']));
    expect((await importRows(101, '--rules', 'run')).code).toBe(0);
    expect((await importRows(3, '--rules', 'maybe')).code).not.toBe(0);
  });
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { definitionCommands } from '../../src/cli/definition.commands.js';
import { commandNamed, type Ended, wts } from '../support/command-line.js';
import { type Client, startServiceWith } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const tasks = '/api/v1/workflows/things/tasks';

function definition(stages: string, fields: string): string {
  return `
workspace: { id: acme, name: Acme }
workflows:
  - id: things
    name: Things
    stages: [${stages}]
    fields: [{ name: ID, type: uniqueId, required: true }, ${fields}]
`;
}

const fields = '{ name: Amount, type: text }, { name: Note, type: text }';
const first = definition('{ name: New }, { name: Old }', fields);
const second = definition('{ name: New }, { name: Old, removed: true, move_tasks_to: New }', '{ name: Amount, type: longText }'); // prettier-ignore

process.env['WTS_AUTHOR'] = 'mina';
const folder = await temporaryFolder();
const { service } = await startServiceWith([]);
await writeFile(join(folder, 'first.yaml'), first);
await writeFile(join(folder, 'second.yaml'), second);

describe('the command line for definitions', () => {
  let api: Client;

  const typed = (name: string, ...args: readonly string[]): Promise<Ended> =>
    wts(commandNamed(name, definitionCommands()), args, service.config.databaseUrl ?? '', folder);

  it('plan exits 2 for changes, and writes nothing; apply shows the plan first; then plan exits 0', async () => {
    const lines = `workspace acme (new)

  + add  workspace  acme
  + add  workflow   things  stages: 2, fields: 3

2 changes: 2 to add
`;
    expect(await typed('plan', 'first.yaml')).toEqual({ code: 2, out: lines, err: '' });
    expect(await service.dataSource.query('SELECT FROM workspaces')).toEqual([]);
    expect(await typed('apply', 'first.yaml')).toEqual({
      code: 0,
      out: `${lines}applied to workspace acme: version 1\n`,
      err: '',
    });
    const same = { code: 0, out: 'no changes: workspace acme is up to date\n', err: '' };
    expect(await typed('plan', 'first.yaml')).toEqual(same);
    expect(await typed('apply', 'first.yaml', '--prune')).toEqual(same);
    api = service.client(await service.key('acme'));
  });

  it('validate says that a file is valid', async () => {
    expect(await typed('validate', 'first.yaml')).toEqual({ code: 0, out: 'first.yaml is valid\n', err: '' });
  });

  it('a plan that would lose data exits 1 and says what to do; so does apply, and changes nothing', async () => {
    await api.post(tasks, { ID: 'A-1', Stage: 'Old', Amount: 'ten', Note: 'x' }).expect(201);
    await api.post(tasks, { ID: 'A-2', Amount: '2.50' }).expect(201);
    const out = `workspace acme (version 1)

  - remove  stage  things / Old
      · 1 task moves to New
  ~ change  field  things / Amount  type from text to longText
  - remove  field  things / Note
      ! 1 task holds a value, which is deleted for good
          A-1 "x"

3 changes: 1 to change, 2 to remove
`;
    const err = 'Refused, nothing was changed: data that the plan marks with ! would be lost. Change the file, or allow the loss with --allow-data-loss.\n'; // prettier-ignore
    expect(await typed('plan', 'second.yaml', '--prune')).toEqual({ code: 1, out, err });
    expect(await typed('apply', 'second.yaml', '--prune')).toEqual({ code: 1, out, err });
    expect((await api.get(`${tasks}/A-1`)).body).toMatchObject({ Stage: 'Old', Amount: 'ten', Note: 'x' });
    expect((await typed('plan', 'second.yaml', '--prune', '--allow-data-loss')).code).toBe(2);
  });

  it('--allow-data-loss permits the loss, in the name of WTS_AUTHOR, of the version that was planned on', async () => {
    const apply = ['apply', 'second.yaml', '--prune', '--allow-data-loss', '--if-version'] as const;
    const outdated = expect.stringContaining('version 1 is in force, not 0: plan again') as string;
    expect(await typed(...apply, '0')).toMatchObject({ code: 1, out: '', err: outdated });
    const { code, out, err } = await typed(...apply, '1');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/\napplied to workspace acme: version 2\n$/);
    expect(await api.read(tasks)).toMatchObject([{ Stage: 'New', Amount: 'ten' }, { Amount: '2.50' }]);
    const admin = service.client(await service.key('acme', 'admin'));
    const [version] = await admin.read<object[]>('/api/v1/definition/history');
    expect(version).toMatchObject({ version: 2, applied_by: 'mina' });
  });
});

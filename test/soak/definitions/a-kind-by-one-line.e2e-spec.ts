import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { copyProject } from '../../support/project-copy.js';

const given = join(import.meta.dirname, 'reminders');
const table = '1795219200015-create-reminders.ts';

// Rule: a kind is added by one folder and one line of features.ts; its table needs a migration.
describe('a kind that does not exist', () => {
  let copy: string;

  beforeAll(async () => {
    copy = await copyProject(['test', 'docs', 'tsconfig.json', 'jest.config.mjs']);
    for (const file of await readdir(join(given, 'folder')))
      await put(`folder/${file}`, `src/reminders/${file}`);
    await put(table, `migrations/${table}`);
    await put('in-the-copy.ts', 'test/reminders.e2e-spec.ts');
    await addLine('src/features.ts');
  });
  afterAll(() => rm(copy, { recursive: true }));

  /** Copies a file; here its imports lead from deeper down. */
  async function put(from: string, to: string): Promise<void> {
    const text = await readFile(join(given, from), 'utf8');
    await mkdir(dirname(join(copy, to)), { recursive: true });
    const src = to.startsWith('src/') ? "'../" : "'../src/";
    const near = text.replace(/'(?:\.\.\/)+src\//g, src).replace(/'(?:\.\.\/)+support\//g, "'./support/");
    await writeFile(join(copy, to), near);
  }

  async function addLine(file: string): Promise<void> {
    const text = await readFile(join(copy, file), 'utf8');
    const added = text.replace('\n  schedulesFeature,', '$&\n  remindersFeature,');
    await writeFile(join(copy, file), `import { remindersFeature } from './reminders/feature.js';\n${added}`);
  }

  it('has its file, checks, routes, command, page, work and erasing', async () => {
    const jest = ['node_modules/.bin/jest', '--runTestsByPath', 'test/reminders.e2e-spec.ts'];
    const { stderr } = await promisify(execFile)(process.execPath, jest, { cwd: copy });
    expect(stderr).toMatch(/Tests: +7 passed, 7 total/);
  });
});

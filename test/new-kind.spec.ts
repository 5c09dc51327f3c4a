import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './support/temporary-folder.js';

const root = join(import.meta.dirname, '..');
const fixture = join(import.meta.dirname, 'fixtures/reminder-kind');

/** The inputs of a build. */
const inputs = ['src', 'packages', 'migrations', 'bench', 'package.json', 'package-lock.json', 'tools/build'];
/** The result of the last build, and what the test of the kind needs. */
const further = ['dist', 'jest.config.mjs', 'test/support', 'docs/examples'];

/** Where the files of the kind go; all others go to its folder. */
const places: Readonly<Record<string, string>> = {
  'create-reminders.ts': 'migrations/1795219200015-create-reminders.ts',
  'reminders.e2e.ts': 'test/reminders/reminders.e2e-spec.ts',
};

const project = await temporaryFolder();

describe('a new kind', () => {
  it('is a folder and a line of features.ts', async () => {
    for (const part of [...inputs, ...further])
      await cp(join(root, part), join(project, part), { recursive: true });
    await symlink(join(root, 'node_modules'), join(project, 'node_modules'));
    await addKind(project);
    await run(project, 'test/reminders');
  });
});

/** Adds the folder of the kind, with its migration and its test, and its line. */
async function addKind(project: string): Promise<void> {
  for (const name of await readdir(fixture)) {
    const place = join(project, places[name] ?? `src/automation/reminders/${name}`);
    await mkdir(dirname(place), { recursive: true });
    const text = await readFile(join(fixture, name), 'utf8');
    await writeFile(
      place,
      text.replace(/'(\.\.\/[^']+)'/g, (_, path: string) => importFrom(place, project, path)),
    );
  }
  const features = join(project, 'src/features.ts');
  const text = await readFile(features, 'utf8');
  const line = text.replace(/^ {2}schedulesFeature,$/m, '$&\n  remindersFeature,');
  await writeFile(features, `import { remindersFeature } from './automation/reminders/feature.js';\n${line}`);
}

/** An import of a file of the fixture, from its place in the copy. */
function importFrom(place: string, project: string, path: string): string {
  const target = join(project, relative(root, join(fixture, path)));
  return `'${relative(dirname(place), target)}'`;
}

/** Runs these tests of the project, which builds it; throws with their output if they fail. */
async function run(project: string, tests: string): Promise<void> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(WTS|JEST|NODE)_/.test(name)),
  );
  const jest = join(project, 'node_modules/jest/bin/jest.js');
  const args = [jest, '--runInBand', '--forceExit', '--reporters=default', '--selectProjects=e2e', tests];
  await promisify(execFile)(process.execPath, args, { cwd: project, env, timeout: 50_000 }).catch(
    (error: unknown) => {
      throw new Error(error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error));
    },
  );
}

import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startServiceWith } from '../../support/service.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const root = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

const folder = await temporaryFolder();
const project = join(folder, 'project');
const demo = await readFile(join(root, 'docs/examples/onboarding.yaml'), 'utf8');
const { service, key } = await startServiceWith(demo);

// Rule: installed from the pack into an empty project, types checked with `strict` and `exactOptionalPropertyTypes`.
describe('the packed client', () => {
  beforeAll(async () => {
    // Packed in a copy, so that nothing is left in the checkout.
    await cp(join(root, 'packages/client'), join(folder, 'packages/client'), {
      recursive: true,
      filter: (path) => !/\/(dist|test)$/.test(path),
    });
    await cp(join(root, 'tsconfig.json'), join(folder, 'tsconfig.json'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await mkdir(project);
    await writeFile(join(project, 'package.json'), '{"type":"module"}');
    await npm(join(folder, 'packages/client'), 'pack', '--pack-destination', folder);
    await rm(join(folder, 'node_modules'));
    await rm(join(folder, 'packages'), { recursive: true });
    const offline = ['--offline', '--no-audit', '--no-fund'];
    await npm(project, 'install', ...offline, join(folder, 'wts-client-0.2.0.tgz'));
    const { stdout } = await node(
      join(project, 'node_modules/.bin/wts-types'), '--url', service.url, '--key', key,
    ); // prettier-ignore
    await writeFile(join(project, 'wts.d.ts'), stdout);
  });

  const npm = (cwd: string, ...args: string[]) => run('npm', args, { cwd });
  const node = (program: string, ...args: string[]) =>
    run(process.execPath, [program, ...args], { cwd: project });
  /** What the compiler says of these files, in a project that has no other types. */
  const compile = async (...files: string[]): Promise<string> => {
    const compilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...{ noPropertyAccessFromIndexSignature: true, module: 'nodenext', target: 'es2023', types: [] },
    };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    return node(join(root, 'node_modules/typescript/bin/tsc')).then(
      () => '',
      (error: unknown) => String(Reflect.get(Object(error), 'stdout')),
    );
  };

  it('holds only compiled modules and their types, and depends on no other package', async () => {
    const installed = join(project, 'node_modules/@wts/client');
    expect((await readdir(installed)).sort()).toEqual(['README.md', 'dist', 'package.json']);
    const files = await readdir(join(installed, 'dist'));
    expect(files.filter((file) => !/\.(js|d\.ts)$/.test(file))).toEqual(['client.cjs']);
    expect((await readdir(join(project, 'node_modules'))).sort()).toEqual([
      '.bin',
      '.package-lock.json',
      '@wts',
    ]);
  });

  it('is typed in an empty project without other types, by the output of wts-types', async () => {
    const types = await readFile(join(project, 'wts.d.ts'), 'utf8');
    expect(types).toContain('      "Risk": Open<"Low" | "Medium" | "High"> | null;\n');
    await writeFile(join(project, 'types.ts'), typed);
    expect(await compile('types.ts')).toBe('');
  });

  it('is loaded by require in Jest, which knows no ES modules', async () => {
    const test = "test('loads', () => expect(require('@wts/client').createClient).toBeInstanceOf(Function));";
    await writeFile(join(project, 'load.test.cjs'), test);
    expect((await node(join(root, 'node_modules/jest/bin/jest.js'), 'load')).stderr).toMatch(
      /^Tests: +1 passed, 1 total$/m,
    );
  });

  it('does what the guide says', async () => {
    const guide = await readFile(join(root, 'docs/guide/clients.md'), 'utf8');
    const [, tour = ''] = /^```ts\n(\/\/ tour\.ts\n.*?)^```$/ms.exec(guide) ?? [];
    await writeFile(
      join(project, 'tour.ts'),
      tour.replace('http://localhost:3000', service.url).replace("process.env['KEY'] ?? ''", `'${key}'`),
    );
    const mirror = /^```ts\n(\/\/ mirror\.ts\n.*?)^```$/ms.exec(await readFile(join(root, 'docs/guide/follow-changes.md'), 'utf8')); // prettier-ignore
    await writeFile(join(project, 'mirror.ts'), mirror?.[1] ?? '');
    expect(await compile('tour.ts', 'mirror.ts')).toBe('');
    const { stdout } = await node('tour.js');
    expect(stdout).toBe(
      [
        '5000.00 New',
        "[ 'is not one of: Low, Medium, High' ]",
        'Success',
        "[\n  'Contract is required',\n  'Checklist must be completed',\n  'High risk needs an administrator'\n]",
        '0 []',
        'unchanged undefined',
        "error { 'Vendor Name': [ 'is required' ] }",
        '',
      ].join('\n'),
    );
  });
});

/** Each line that is wrong says so. */
const typed = `
import { createClient } from '@wts/client';
import type { Demo } from './wts.js';

const wts = createClient<Demo>({ url: 'https://x.test', key: 'k', deadline: undefined });
const { tasks, act } = wts.workflow('vendors');
const { task, etag } = await tasks.get('V-1');
const invoice: string | null | undefined = task.Invoices[0]?.Amount;
await tasks.save(task, { ifMatch: etag });
await tasks.save({ ...task, Risk: 'An option of tomorrow', Invoices: [{ 'Invoice ID': 7 }], Notes: undefined });
await act('V-1', 'approve', { wait: 25, performedBy: 'mina@acme.test', fields: undefined });
for await (const shown of tasks.list({ Risk: ['Low', null], 'Contract Value[gte]': 5, _sort: '-Risk' })) task.Risk = shown.Risk;
for await (const part of tasks.list({ _fields: 'Risk,_created' })) {
  // @ts-expect-error: a list of some keys may have no other
  const name: string | null = part['Vendor Name'];
  console.log(name, invoice);
}

// @ts-expect-error: no such field
await tasks.save({ 'Vendor Nmae': 'x' });
// @ts-expect-error: no such action
await act('V-1', 'aprove');
// @ts-expect-error: no such key
task.Phase;

const loose = createClient({ url: 'https://x.test', key: 'k' }).workflow('anything');
const any = await loose.tasks.get(1);
await loose.tasks.save({ ...any.task, 'What it has': 1 });
`;

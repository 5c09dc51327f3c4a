import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startServiceWith } from '../../support/service.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const root = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

const folder = await temporaryFolder();
const demo = await readFile(join(root, 'docs/examples/onboarding.yaml'), 'utf8');
const { service, api, key } = await startServiceWith(demo);

describe('the types that docs/guide/clients.md makes of OpenAPI', () => {
  let client: string;

  beforeAll(async () => {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const { text } = await api.get('/api/v1/workflows/vendors/openapi.json').expect(200);
    await writeFile(join(folder, 'vendors.json'), text);
    await node('openapi-typescript/bin/cli.js', 'vendors.json', '-o', 'vendors.ts');
    const guide = await readFile(join(root, 'docs/guide/clients.md'), 'utf8');
    const [, code = ''] = /```ts\n(import createClient .*?)```/s.exec(guide) ?? [];
    client = code
      .replace('http://localhost:3000', service.url)
      .replace("process.env['KEY'] ?? ''", `'${key}'`);
  });

  const node = async (program: string, ...args: string[]): Promise<string> => {
    const path = join(root, 'node_modules', program);
    return (await run(process.execPath, [path, ...args], { cwd: folder })).stdout;
  };
  /** What the compiler says of these clients, in one go: it takes long to begin. */
  const compile = async (clients: ReadonlyMap<string, string>): Promise<string> => {
    const files = [...clients.keys()].map((name) => `${name}.ts`);
    for (const [name, code] of clients) await writeFile(join(folder, `${name}.ts`), code);
    const options = '--strict --module nodenext --target es2023 --types node --skipLibCheck'.split(' ');
    return node('typescript/bin/tsc', ...options, ...files).then(
      () => '',
      (error: unknown) => String(Reflect.get(Object(error), 'stdout')),
    );
  };

  it('compile and work in a client of 20 lines', async () => {
    expect(client.trim().split('\n').length).toBeLessThanOrEqual(20);
    expect(await compile(new Map([['client', client]]))).toBe('');
    const { stdout } = await run(process.execPath, ['client.js'], { cwd: folder });
    expect(stdout).toBe('5000.00 New\nV-100 0\n');
  });

  it('do not compile with an unknown field, option, stage or key of an answer', async () => {
    const wrong: [string, string, string][] = [
      ['field', "'Contract Value': 5000", "'Contract Worth': 5000"],
      ['option', "Risk: 'Low'", "Risk: 'Lowest'"],
      ['stage', "Stage: 'New'", "Stage: 'Newest'"],
      ['key', 'vendor.Stage', 'vendor.Phase'],
    ];
    for (const [, right] of wrong) expect(client).toContain(right);
    const clients = new Map(wrong.map(([name, right, code]) => [name, client.replace(right, code)]));
    const said = await compile(clients);
    const blamed = [...said.matchAll(/^(\w+)\.ts\(/gm)].map(([, name]) => name);
    expect(new Set(blamed)).toEqual(new Set(clients.keys()));
  });
});

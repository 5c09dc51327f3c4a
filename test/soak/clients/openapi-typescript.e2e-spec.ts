import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startService, type TestService } from '../../support/service.js';

const root = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

describe('what docs/guide/clients.md makes of OpenAPI', () => {
  let service: TestService;
  let folder: string;
  let client: string;

  beforeAll(async () => {
    service = await startService();
    await service.apply(await readFile(join(root, 'docs/examples/onboarding.yaml'), 'utf8'));
    folder = await mkdtemp(join(tmpdir(), 'wts-test-client-'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const key = await service.key('demo');
    const { text } = await service.client(key).get('/api/v1/workflows/vendors/openapi.json').expect(200);
    await writeFile(join(folder, 'vendors.json'), text);
    await node('openapi-typescript/bin/cli.js', 'vendors.json', '-o', 'vendors.ts');
    const guide = await readFile(join(root, 'docs/guide/clients.md'), 'utf8');
    const [, code = ''] = /```ts\n(import createClient .*?)```/s.exec(guide) ?? [];
    client = code
      .replace('http://localhost:3000', service.url)
      .replace("process.env['KEY'] ?? ''", `'${key}'`);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
    await service.stop();
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

  it('compiles and works as a client of 20 lines', async () => {
    expect(client.trim().split('\n').length).toBeLessThanOrEqual(20);
    expect(await compile(new Map([['client', client]]))).toBe('');
    const { stdout } = await run(process.execPath, ['client.js'], { cwd: folder });
    expect(stdout).toBe('5000.00 New\nV-100 0\n');
  });

  it('compiles where an answer holds a stage, an option or a type of event that comes later', async () => {
    const later = `import { type components } from './vendors.js';
      type Schemas = components['schemas'];
      export const stage: Schemas['Task']['Stage'] = 'Archived';
      export const risk: Schemas['Task']['Risk'] = 'Extreme';
      export const type: Schemas['Event']['type'] = 'task.archived';
      export const status: Schemas['Execution']['status'] = 'Success';`;
    expect(await compile(new Map([['later', later]]))).toBe('');
  });

  it('does not compile with a field, an option, a stage or a key of an answer that is not there', async () => {
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

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createApiKey } from '../../../src/auth/api-keys.js';
import { WorkspaceEntity } from '../../../src/entities/workspace.entity.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { type OtherProcess, startOtherProcess } from '../../support/other-process.js';
import { copyProject } from '../../support/project-copy.js';

/** What somebody does to add a part: files that are new, and text that goes before an anchor of files that are there. */
interface Addition {
  readonly files?: Readonly<Record<string, string>>;
  readonly lines: Readonly<Record<string, readonly (readonly [before: string, text: string])[]>>;
}

const fieldType: Addition = {
  files: {
    'src/schema/types/score.ts': `
import Type from 'typebox';
import { textType } from '../field-type.js';
import { Invalid } from '../invalid.js';
import { readNumber } from './number.js';

const settings = Type.Object(
  { highest: Type.Integer({ title: 'Highest', description: 'The best score.', minimum: 2, maximum: 100 }) },
  { title: 'Score', description: 'A whole number from 1 to \`highest\`.', examples: [{ name: 'Quality', highest: 5 }] },
);

export const score = textType(settings, {
  example: { sent: 4, shown: '4' },
  parse(input, { highest }) {
    const read = readNumber(input, 0);
    if (read instanceof Invalid || (Number(read) >= 1 && Number(read) <= highest)) return read;
    return new Invalid(\`is not from 1 to \${highest}\`);
  },
  narrows: (from, to) => to.highest < from.highest,
  order: () => ({ by: 'number' }),
  openapiInput: ({ highest }) => ({ type: ['integer', 'null'], minimum: 1, maximum: highest }),
});
`,
  },
  lines: {
    'src/schema/field-types.ts': [
      ['import { singleSelect }', "import { score } from './types/score.js';\n"],
      ["  ['singleSelect', singleSelect],", "  ['score', score],\n"],
    ],
  },
};

const definition = (highest: string): string => `
workspace: { id: acme, name: Acme }
workflows:
  - id: things
    name: Things
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Quality, type: score${highest} }
`;

const run = promisify(execFile);

describe('“Where a change goes” in docs/architecture.md', () => {
  let touched: string[];
  let folder: string;
  let database: TestDatabase;
  let service: OtherProcess;
  let key: string;

  beforeAll(async () => {
    [folder, database] = await Promise.all([copyProject(['docs']), createTestDatabase()]);
    touched = await add(folder, fieldType);
    await run(process.execPath, ['build.mjs'], { cwd: folder });
    await apply(definition(', highest: 5'));
    const { id } = await database.dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug: 'acme' });
    const scope = { workspaceId: id, name: 'test', scope: 'write', expiresAt: null } as const;
    key = await createApiKey(database.dataSource.manager, scope);
    service = await startOtherProcess(database.url, {}, folder);
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  /** Applies a definition by the command line of the copy. */
  async function apply(yaml: string): Promise<string> {
    await writeFile(join(folder, 'acme.yaml'), yaml);
    const env = { PATH: process.env['PATH'], DATABASE_URL: database.url };
    const options = { cwd: folder, env };
    return (await run(process.execPath, ['dist/wts.js', 'apply', 'acme.yaml'], options)).stdout;
  }

  async function send(method: string, path: string, body?: object): Promise<unknown[]> {
    const answer = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const shown: unknown = await answer.json();
    return [answer.status, shown];
  }

  it('a field type takes the files that it names, and no other', () => {
    const patterns = filesOf('a field type');
    expect(touched).toHaveLength(patterns.length);
    for (const pattern of patterns) expect(touched).toContainEqual(expect.stringMatching(pattern));
  });

  it('a field type with a setting works from definition to answer', async () => {
    const [status, task] = await send('POST', '/workflows/things/tasks', { ID: '1', Quality: 4 });
    expect([status, task]).toEqual([201, expect.objectContaining({ Quality: '4' })]);
    expect(await send('POST', '/workflows/things/tasks', { ID: '2', Quality: 9 })).toEqual([
      422,
      { errors: { Quality: ['is not from 1 to 5'] } },
    ]);
    const [, fields] = await send('GET', '/workflows/things/fields');
    expect(fields).toContainEqual(expect.objectContaining({ name: 'Quality', type: 'score', highest: 5 }));
  });

  it('its setting is required, read, and narrowed as it says', async () => {
    const wrong = apply(definition(', highest: many }\n      - { name: Rest, type: score'));
    await expect(wrong).rejects.toThrow(
      /fields\[1\]\.highest: is not a whole number[^]*fields\[2\]\.highest: is required/,
    );
    expect(await apply(definition(', highest: 3'))).toContain('1 "4" (is not from 1 to 3)');
  });

  it('the schema, the reference and OpenAPI tell of it', async () => {
    const print = (what: string): Promise<{ stdout: string }> =>
      run(process.execPath, [`dist/src/cli/print-definition-${what}.js`], { cwd: folder });
    const openapi = await (await fetch(`${service.url}/docs/openapi.json`)).text();
    const printed = await Promise.all([print('schema'), print('reference')]);
    for (const text of [openapi, ...printed.map(({ stdout }) => stdout)])
      for (const name of ['score', 'highest']) expect(text).toContain(name);
  });
});

/** Adds a part to the copy, and says which files that took. */
async function add(folder: string, { files = {}, lines }: Addition): Promise<string[]> {
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text, { flag: 'wx' });
  for (const [path, insertions] of Object.entries(lines)) {
    let text = await readFile(join(folder, path), 'utf8');
    for (const [before, inserted] of insertions) {
      if (!text.includes(before)) throw new Error(`${path} has no ${before}`);
      text = text.replace(before, () => inserted + before);
    }
    await writeFile(join(folder, path), text);
  }
  return [...Object.keys(files), ...Object.keys(lines)];
}

/** The files that docs/architecture.md names for a kind of change; `x` stands for any name. */
function filesOf(kind: string): RegExp[] {
  const map = readFileSync(join(import.meta.dirname, '../../../docs/architecture.md'), 'utf8');
  const [, cell = ''] = new RegExp(`^\\| ${kind} +\\|([^|]*)\\|`, 'm').exec(map) ?? [];
  return [...cell.matchAll(/`([^`]+)`/g)].map(
    ([, path = '']) => new RegExp(`(^|/)${path.replaceAll('.', '\\.').replace(/\bx(?=\\)/, '[\\w-]+')}$`),
  );
}

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

// The floors of the rooms, ground first. A file imports from its own room or from a lower floor; only the
// files at the root, which put everything together, import from all rooms.
const floors = [
  ['common'],
  ['config', 'workflows/fields', 'workflows/expressions', 'workflows/time'],
  ['common/database'],
  ['common/ops', 'workflows/model'],
  ['access', 'tasks/store', 'common/openapi', 'common/jobs'],
  ['common/http', 'tasks/links', 'tasks/files'],
  ['tasks', 'workflows/definition'],
  [...['links', 'checklists', 'comments', 'events', 'messages'], 'workflows/docs'],
  ['attachments', 'actions', 'messages/inbox'],
  ['executions', 'approvals'],
  ['automation', 'webhooks'],
  ['features', 'console', 'mcp', 'cli', 'app.module', 'main'],
];
const pure = ['workflows/fields', 'workflows/expressions', 'workflows/time'];
const rooms = floors.flat().sort((one, other) => other.length - one.length);

const root = resolve(import.meta.dirname, '../src');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /(?<!spec)\.tsx?$/.test(file),
);
const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import|import\() ?'([^']+)'/g)].map(
    ([, path = '']) => path,
  );
const imports = files.flatMap((file) =>
  importsOf(join(root, file)).map((path) => {
    const within = relative(root, resolve(root, file, '..', path));
    // What stands beside src/ is a package like any other.
    const isOurs = path.startsWith('.') && !within.startsWith('..');
    return { file, path: isOurs ? within : path, isOurs };
  }),
);
const exported = /^export (?:abstract )?(?:async )?(?:class|function\*?|const|interface|type) +(\w+)/gm;
/** What a file at the root is called. */
const rootFile = (path: string): string | undefined => /^([\w.]+?)\.(tsx?|js)$/.exec(path)?.[1];
/** The innermost room of a file. */
const place = (path: string): string =>
  rooms.find(
    (room) => path.startsWith(`${room}/`) || rootFile(path) === room || path.replace(/js$/, 'ts') === room,
  ) ?? path;
const floorOf = (path: string): number => floors.findIndex((floor) => floor.includes(place(path)));
const known = new Set(files);
const sourceOf = (path: string): string =>
  ['.ts', '.tsx'].map((end) => path.replace(/\.js$/, end)).find((file) => known.has(file)) ?? path;
/** What puts everything together and a room of its floor may import each other, without a circle; two rooms may not. */
const isPutTogether = (file: string, path: string): boolean =>
  floorOf(file) === floorOf(path) &&
  [file, path].some((each) => rootFile(each) ?? each.startsWith('cli/service/'));
/** A definition has the lists of all features. */
const readsFeatures = (file: string, path: string): boolean =>
  file === 'workflows/definition/kinds.ts' && path === 'features.js';

describe('the floors of src/', () => {
  it('hold every file', () => {
    expect(files.filter((file) => floorOf(file) < 0)).toEqual([]);
  });

  it('are imported only from floors above', () => {
    const wrong = imports.filter(
      ({ file, path, isOurs }) =>
        isOurs &&
        place(file) !== place(path) &&
        floorOf(path) >= floorOf(file) &&
        !isPutTogether(file, path) &&
        !readsFeatures(file, path),
    );
    expect(wrong).toEqual([]);
  });

  it('keep the core pure: it uses neither Nest nor TypeORM', () => {
    const impure = imports.filter(
      ({ file, path }) => pure.includes(place(file)) && /^(@nestjs|typeorm|pg)/.test(path),
    );
    expect(impure).toEqual([]);
  });

  // Rule: the console shows what services give.
  it('keep repositories, entities and SQL out of the console', () => {
    const direct = imports.filter(
      ({ file, path }) =>
        file.startsWith('console/') &&
        /^(@nestjs\/)?typeorm|^pg$|\.(entity|repository)\.js$|database\/sql/.test(path),
    );
    expect(direct).toEqual([]);
  });

  // Rule: an exported name stands once, so that one word means one thing.
  it('export each name once', () => {
    const homes = new Map<string, string[]>();
    for (const file of files)
      for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(exported))
        homes.set(name, [...(homes.get(name) ?? []), file]);
    expect([...homes].filter(([, at]) => new Set(at).size > 1)).toEqual([]);
  });

  // Rule: a connection prepares one statement under each name.
  it('name each statement once', () => {
    const names = files.flatMap((file) =>
      Array.from(
        readFileSync(join(root, file), 'utf8').matchAll(
          /(?:name: |\b(?:named|upserting|insertion|updateTogether|changesBehind)\(\s*)'([a-z]+(?:-[a-z]+)+)'/g,
        ),
        ([, name = '']) => name,
      ),
    );
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('have no circles', () => {
    const next = new Map<string, string[]>();
    for (const { file, path, isOurs } of imports)
      if (isOurs) next.set(file, [...(next.get(file) ?? []), sourceOf(path)]);
    const done = new Set<string>();
    const visit = (file: string, above: readonly string[]): void => {
      if (above.includes(file)) throw new Error(`circle: ${[...above, file].join(' > ')}`);
      if (done.has(file)) return;
      for (const path of next.get(file) ?? []) visit(path, [...above, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(done.size).toBe(files.length);
  });
});

describe('a package of packages/', () => {
  it('imports nothing from outside packages/', () => {
    const packages = resolve(root, '../packages');
    const sources = readdirSync(packages, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    const outside = sources.flatMap((file) =>
      importsOf(join(packages, file)).filter((path) => {
        const target = relative(packages, resolve(packages, file, '..', path));
        return path.startsWith('.') && target.startsWith('..');
      }),
    );
    expect(sources).not.toEqual([]);
    expect(outside).toEqual([]);
  });
});

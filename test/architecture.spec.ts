import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

// The floors of docs/architecture.md, ground first. A file imports from its own folder or from a lower floor.
const floors = [
  [
    'fair-semaphore',
    'config',
    'deadline',
    'fail-fast-redis',
    'logger',
    'make-folder',
    'project-folder',
    'public-address',
    'quote',
    'random-text',
    'repeated',
    'setting-values',
    'time-limit',
    'turn',
    'unknown-settings',
    'unsent-answers',
    'errors',
    'entities',
  ],
  ['schema', 'expressions', 'database', 'embedded', 'outbound', 'observability'],
  ['payloads', 'definitions'],
  ['workflows'],
  ['access'],
  ['records', 'idempotency'],
  ['answers'],
  ['links', 'attachments', 'checklists', 'comments', 'introspection'],
  ['tasks'],
  ['executions'],
  ['openapi', 'paths'],
  [
    'cli',
    'app.module',
    'main',
    'server',
    'announcements',
    'demo',
    'describers',
    'open-blobs',
    'open-database',
    'running-service',
    'pool-metrics',
    'unrouted.controller',
    'unrouted.module',
    'statistics',
    'stop-on-signal',
    'unhandled',
    'welcome',
  ],
];
// Within these floors, what builds on what.
const within = new Map([
  ['config', ['setting-values', 'unknown-settings']],
  ['public-address', ['config']],
  ['logger', ['config']],
  ['fair-semaphore', ['errors']],
  ['turn', ['fair-semaphore']],
  ['deadline', ['errors']],
  ['turn', ['fair-semaphore']],
  ['unsent-answers', ['errors', 'fair-semaphore', 'turn']],
  ['errors', ['logger', 'quote']],
  ['outbound', ['schema']],
]);
const pure = ['schema', 'expressions'];

const root = resolve(import.meta.dirname, '../src');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /(?<!spec)\.ts$/.test(file),
);
const imports = files.flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import) '([^']+)'/g)].map(([, path = '']) => ({
    file,
    path: path.startsWith('.') ? relative(root, resolve(root, file, '..', path)) : path,
    isOurs: path.startsWith('.'),
  })),
);
const place = (path: string): string => path.split('/')[0]?.replace(/\.(ts|js)$/, '') ?? '';
const floorOf = (path: string): number => floors.findIndex((floor) => floor.includes(place(path)));
const isTop = (path: string): boolean => floorOf(path) === floors.length - 1;

describe('the floors', () => {
  it('hold every file', () => {
    expect(files.filter((file) => floorOf(file) < 0)).toEqual([]);
  });

  it('are entered from above only', () => {
    const wrong = imports.filter(
      ({ file, path, isOurs }) =>
        isOurs &&
        place(file) !== place(path) &&
        floorOf(path) >= floorOf(file) &&
        !within.get(place(file))?.includes(place(path)) &&
        !(isTop(file) && isTop(path)),
    );
    expect(wrong).toEqual([]);
  });

  it('keep the core pure: neither Nest nor TypeORM', () => {
    const impure = imports.filter(
      ({ file, path }) => pure.includes(place(file)) && /^(@nestjs|typeorm|pg)/.test(path),
    );
    expect(impure).toEqual([]);
  });

  it('have no circles', () => {
    const next = new Map<string, string[]>();
    for (const { file, path, isOurs } of imports)
      if (isOurs) next.set(file, [...(next.get(file) ?? []), path.replace(/\.js$/, '.ts')]);
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

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { blocksOf, typeBlocks } from '../../support/typed-page.js';
import { copyProject } from '../../support/project-copy.js';

// prettier-ignore

const root = resolve(import.meta.dirname, '../../..');

const guide = readFileSync(join(root, 'docs/guide/definitions.md'), 'utf8');

// The guide is typed into bash and uses curl; CI must have both.
const canType = ['bash', 'curl'].every((program) => spawnSync(program, ['--version']).status === 0);

(canType || process.env['CI'] ? describe : describe.skip)('the guide to definitions, as it is typed', () => {
  let database: TestDatabase;
  let folder: string;
  let server: ChildProcess;
  let environment: Record<string, string>;
  let origin = '';

  beforeAll(async () => {
    database = await createTestDatabase();
    // A copy of the project, as migrations are written into it.
    folder = await copyProject(['docs', 'eslint.config.mjs', '.prettierrc.json']);
    // Of the types of the whole project, ESLint reads those only that what it is asked about imports.
    const types = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as object;
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ ...types, include: ['migrations/*-odd.ts'] }),
    );
    environment = { PATH: process.env['PATH'] ?? '', HOME: folder, DATABASE_URL: database.url, WTS_DATA_DIR: join(folder, 'data') }; // prettier-ignore
    execFileSync(process.execPath, ['build.mjs'], { cwd: folder, env: environment });
    server = spawn(process.execPath, ['dist/main.js'], {
      cwd: folder,
      env: { ...environment, PORT: '0', WTS_DRAIN_MS: '0' },
    });
    origin = await new Promise((found, fail) => {
      let out = '';
      server.stdout?.on('data', (chunk: Buffer) => {
        out += chunk.toString();
        const [url] = /http:\/\/[\w.[\]:]+:\d+/.exec(out) ?? [];
        if (url) found(url);
      });
      server.once('exit', () => {
        fail(new Error(`ended: ${out}`));
      });
    });
  });
  afterAll(async () => {
    server.removeAllListeners('exit');
    const ended = new Promise((done) => server.once('exit', done));
    server.kill('SIGTERM');
    await ended;
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  function run(script: string): string {
    const shell = spawnSync('bash', ['--norc', '-e', '-o', 'pipefail', '-c', script], { cwd: folder, env: environment, encoding: 'utf8' }); // prettier-ignore
    expect([shell.status, shell.stderr.replace(/^(npm warn|database:).*\n/gm, '')]).toEqual([0, '']);
    return shell.stdout;
  }

  it('answers as it shows', async () => {
    const { port } = new URL(origin);
    const differences = await typeBlocks(blocksOf(guide), {
      folder,
      environment: { ...environment, WTS_AUTHOR: 'you', NPM_CONFIG_UPDATE_NOTIFIER: 'false' },
      // Only what has to do with migrations must find out whether there is something to build.
      adapt: (text) =>
        text
          .replaceAll('localhost:3000', `localhost:${port}`)
          .replaceAll(
            /npm run -s wts -- (?!migrat|undo-migration|export)/g,
            `"${process.execPath}" dist/wts.js `,
          ),
      restore: (printed) => printed.replaceAll(/^(database:|npm warn) .*\n/gm, ''),
    });
    expect(differences).toEqual([]);
  });

  it('a migration of an awkward text is as our own files are, and applies that text', () => {
    const text = "workspace: { id: odd, name: 'a`b ${c} \\d \\\\ *\\/' } # `${x}`\n".replaceAll('\\/', '/');
    writeFileSync(join(folder, 'odd.yaml'), `\ufeff${text.replaceAll('\n', '\r\n')}`);
    expect(run('npm run -s wts -- migration odd.yaml')).toMatch(/^add workspace odd\nwritten: /);
    const file = readdirSync(join(folder, 'migrations')).find((name) => name.endsWith('-apply-odd.ts')) ?? '';
    run('npx prettier --check migrations/*-odd.ts && npx eslint migrations/*-odd.ts');
    expect(file).toMatch(/^\d{13}-apply-odd\.ts$/);
    // Only a start, or who asks for it, runs a migration: neither to read nor to undo one is to run it again.
    const missing =
      /pending migrations, .*: ApplyOdd\d{13}\nThere is no workspace "odd"\. See: wts workspace list\n$/;
    expect(run('npm run -s wts -- export odd 2>&1 || true')).toMatch(missing);
    expect(run('npm run -s wts -- migrate')).toMatch(/^migrated: ApplyOdd\d{13}\n$/);
    expect(run('npm run -s wts -- export odd')).toBe(text.replace(/ #.*/, ''));
    expect(run('npm run -s wts -- undo-migration')).toMatch(/^undone: ApplyOdd\d{13};/);
    // The workspace stays, without what the migration brought: here that is nothing but its name.
    expect(run('npm run -s wts -- export odd 2>&1')).toMatch(
      /pending migrations, .*: ApplyOdd\d{13}\nworkspace: /,
    );
    rmSync(join(folder, 'migrations', file));
    expect(run('npm run -s wts -- undo-migration 2>&1 || true')).toMatch(
      /\nThe last migration is \w+, which applied no definition\.\n$/,
    );
    expect(run('npm run -s wts -- migrate')).toBe('no changes: every migration has run\n');
  });
});

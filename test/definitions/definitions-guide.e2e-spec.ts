import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { copyProject } from '../support/project-copy.js';

// prettier-ignore

const root = resolve(import.meta.dirname, '../..');

/** The blocks of one section of the guide, or of its beginning, in order. */
function blocks(section: string): { language: string; text: string }[] {
  const guide = readFileSync(join(root, 'docs/guide/definitions.md'), 'utf8');
  const start = guide.indexOf(`## ${section}\n`);
  if (start < 0) throw new Error(`no section: ${section}`);
  const end = guide.indexOf('\n### ', start);
  const text = guide.slice(start, end < 0 ? undefined : end);
  return [...text.matchAll(/```(yaml|sh)\n(.*?)```/gs)].map(([, language = '', text = '']) => ({ language, text }));
} // prettier-ignore

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
    folder = await copyProject(['docs', 'tsconfig.json', 'eslint.config.mjs', '.prettierrc.json']);
    environment = { PATH: process.env['PATH'] ?? '', HOME: folder, DATABASE_URL: database.url, WTS_DATA_DIR: join(folder, 'data') }; // prettier-ignore
    execFileSync(process.execPath, ['build.mjs'], { cwd: folder, env: environment });
    server = spawn(process.execPath, ['dist/src/main.js'], {
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
  }, 120_000);
  afterAll(async () => {
    server.removeAllListeners('exit');
    const ended = new Promise((done) => server.once('exit', done));
    server.kill('SIGTERM');
    await ended;
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  /** Types a section: its files are written, its commands run; returns what they print. */
  function type(section: string): string {
    let out = '';
    for (const { language, text } of blocks(section)) {
      const [, file] = /^# (\S+\.yaml)\n/.exec(text) ?? [];
      if (language === 'yaml' && file) writeFileSync(join(folder, file), text);
      if (language === 'sh') out += run(text);
    }
    return out;
  }

  /** Each section is typed into the same shell: what one exports, the next one has. */
  function run(script: string): string {
    const typed = script.replace('http://localhost:3000', origin);
    const state = `[ -f .shell ] && . ./.shell\n`;
    const keep = `\n{ declare -p KEY API; declare -f api; } > .shell`;
    const shell = spawnSync('bash', ['--norc', '-e', '-o', 'pipefail', '-c', `${state.trim()} || true\n${typed}${keep}`], {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
    }); // prettier-ignore
    expect([shell.status, shell.stderr.replace(/^(npm warn|database:).*\n/gm, '')]).toEqual([0, '']);
    return shell.stdout;
  }

  it('begins', () => {
    const out = type('Recipes');
    expect(out).toContain('requests.yaml is valid\n');
    expect(out).toContain('applied to workspace office\n');
    expect(out).toMatch(/"Stage":"New".*"Number":"1","Subject":"A new desk"/);
    expect(out).toMatch(/"Stage":"Review".*"Number":"2","Subject":"A lamp"/);
  }, 120_000);

  it('Add a field', () => {
    const out = type('Add a field');
    expect(out).toMatch(/^ {2}\+ add {2}field {2}requests \/ Urgency\n[^]*\napplied to workspace office\n/m);
    expect(out).toMatch(/"Subject":"A new desk","Urgency":null/);
    expect(out).toMatch(/"Subject":"A chair","Urgency":"Low"/);
  }, 120_000);

  it('Rename a stage with tasks in it', () => {
    const out = type('Rename a stage with tasks in it');
    expect(out).toMatch(
      /^ {2}~ rename {2}stage {2}requests \/ Review {2}to In Review\n[^]*\napplied to workspace office\n/m,
    );
    expect(out).toMatch(/\nno changes: workspace office is up to date\n{"Stage":"In Review".*"A lamp"/);
  }, 120_000);

  it('Split a stage', () => {
    const out = type('Split a stage');
    expect(out).toMatch(/add +stage +requests \/ Ordered\n/);
    expect(out).toMatch(/{"Stage":"Ordered".*"A lamp"/);
    expect(out).toMatch(/"id":"close","name":"Close"/);
  }, 120_000);

  it('Deprecate an action', () => {
    const out = type('Deprecate an action');
    expect(out).toMatch(/\n{"status":"Fail","errors":\["Review is no longer used; order at once"\]}\n$/);
  }, 120_000);

  it('Add a role and a member', () => {
    const [refused, done] = type('Add a role and a member').trim().split('\n').slice(-2);
    expect(refused).toMatch(/^{"status":"Fail","errors":\[".*"\]}$/);
    expect(done).toMatch(/"status":"Success"/);
  }, 120_000);

  it('Link two workflows', () => {
    expect(type('Link two workflows')).toMatch(/"Order ID":"O-1","Request":{"Stage":"Ordered".*"A lamp"/);
  }, 120_000);

  it('Take a stage away', () => {
    const out = type('Take a stage away');
    expect(out).toMatch(/1 task/);
    expect(out).toContain('there is something to do\n');
    expect(out).toMatch(/\[{"Stage":"Ordered".*"A shelf"/);
  }, 120_000);

  it('Seed through a migration', () => {
    const out = type('Seed through a migration');
    expect(out).toMatch(
      /^add field requests \/ Budget\nwritten: migrations\/\d{13}-add-field-budget-of-office\.ts; the next start runs it\n/,
    );
    expect(out).toContain('- { name: Budget, type: currency }\n');
    expect(out).toMatch(/undone: AddFieldBudgetOfOffice\d{13}; .*\nno Budget\n$/);
  }, 120_000);

  it('Export and review', () => {
    const out = type('Export and review');
    expect(out).toMatch(/^no changes: workspace office is up to date\n/);
    expect(out).toMatch(/\nthe same again\n$/);
  }, 120_000);

  it('a migration of an awkward text is as our own files are, and applies that text', () => {
    const text = "workspace: { id: odd, name: 'a`b ${c} \\d \\\\ *\\/' } # `${x}`\n".replaceAll('\\/', '/');
    writeFileSync(join(folder, 'odd.yaml'), `\ufeff${text.replaceAll('\n', '\r\n')}`);
    expect(run('npm run -s wts -- migration odd.yaml')).toMatch(/^add workspace odd\nwritten: /);
    const file = readdirSync(join(folder, 'migrations')).find((name) => name.endsWith('-apply-odd.ts')) ?? '';
    run('npx prettier --check migrations/*-odd.ts && npx eslint migrations/*-odd.ts');
    expect(file).toMatch(/^\d{13}-apply-odd\.ts$/);
    // Only a start, or who asks for it, runs a migration: neither to read nor to undo one is to run it again.
    const missing =
      /not migrated yet, .*: ApplyOdd\d{13}\nThere is no workspace "odd"\. See: wts workspace list\n$/;
    expect(run('npm run -s wts -- export odd 2>&1 || true')).toMatch(missing);
    expect(run('npm run -s wts -- migrate')).toMatch(/^migrated: ApplyOdd\d{13}\n$/);
    expect(run('npm run -s wts -- export odd')).toBe(text.replace(/ #.*/, ''));
    expect(run('npm run -s wts -- undo-migration')).toMatch(/^undone: ApplyOdd\d{13};/);
    expect(run('npm run -s wts -- export odd 2>&1 || true')).toMatch(missing);
    rmSync(join(folder, 'migrations', file));
    expect(run('npm run -s wts -- undo-migration 2>&1 || true')).toMatch(
      /\nThe last migration is \w+, which applied no definition\.\n$/,
    );
    expect(run('npm run -s wts -- migrate')).toBe('no changes: every migration has run\n');
  }, 300_000);
});

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { readConfig, readThrowAwayConfig } from '../../../src/config.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const manual = readFileSync(resolve(import.meta.dirname, '../../../docs/reference/settings.md'), 'utf8');
const folder = await temporaryFolder();

/** The variables that `readConfig` asks for; those of secrets by their common beginning. */
function variablesAsked(): string[] {
  const asked = new Set<string>();
  const get = (_: object, name: string | symbol): void => void asked.add(String(name));
  readConfig(new Proxy<Record<string, string | undefined>>({}, { get, ownKeys: () => [] }));
  return [...asked, 'WTS_SECRET_<WORKSPACE>__<NAME>'].sort();
}

function variablesOfTable(): string[] {
  const rows = manual.matchAll(/^\| (`[^|]*`) +\|/gm);
  return [...rows].flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', ')).sort();
}

it('a configured database is never used as a throw-away database', () => {
  const environment = { WTS_EPHEMERAL: '1', DATABASE_URL: 'postgres://localhost/wts' };
  expect(() => readConfig(environment)).toThrow(/^WTS_EPHEMERAL must not be 1 if DATABASE_URL is set/);
});

it('only tests can move the time of tasks', () => {
  expect(() => readConfig({ WTS_CLOCK: 'clock' })).toThrow(
    /^WTS_CLOCK must not be set without WTS_TEST_MODE=1/,
  );
});

it('only a process behind a load balancer drains', () => {
  const DATABASE_URL = 'postgres://127.0.0.1/wts';
  const settings = [{ DATABASE_URL }, {}, { DATABASE_URL, WTS_ROLE: 'worker' }];
  expect(settings.map((each) => readConfig(each).drainMs)).toEqual([5000, 0, 0]);
});

it('the number of processes is a number or auto, and more processes take fewer connections each', () => {
  const read = (WTS_PROCESSES?: string): unknown => {
    const { processes, poolSize } = readConfig({ WTS_PROCESSES });
    return { processes, poolSize };
  };
  expect(read()).toEqual({ processes: undefined, poolSize: 20 });
  expect(read('auto')).toMatchObject({ processes: availableParallelism() });
  expect(['4', '8', '64'].map(read)).toEqual([
    { processes: 4, poolSize: 20 },
    { processes: 8, poolSize: 10 },
    { processes: 64, poolSize: 5 },
  ]);
  for (const wrong of ['0', '-1', 'all', '1.5', '257'])
    expect(() => read(wrong)).toThrow(
      new Error(`WTS_PROCESSES must be auto, or a number from 1 to 256, not "${wrong}"`),
    );
});

it('an invalid value is shown, unless it may contain a password', () => {
  const environment = { PORT: 'abc', WTS_ROLE: 'both', PUBLIC_URL: 'ftp://me:pa55word@host.test' };
  expect(() => readConfig(environment)).toThrow(
    new Error('PORT must be a port, not "abc"\nWTS_ROLE must be one of all, api, worker, not "both"\nPUBLIC_URL must be an http(s) URL'), // prettier-ignore
  );
  const given = { DATABASE_URL_FILE: 'postgres://wts:pa55word@host.test/wts' };
  expect(() => readConfig(given)).toThrow(/^DATABASE_URL_FILE must be a file that can be read \(ENOENT\)$/); // prettier-ignore
});

it('the settings of an identity provider belong together, and require TLS', () => {
  const issuer = 'https://login.acme.test';
  const all = { WTS_OIDC_ISSUER: issuer, WTS_OIDC_CLIENT_ID: 'wts', WTS_OIDC_CLIENT_SECRET: 's' };
  expect(readConfig(all).oidc).toEqual({ issuer, clientId: 'wts', clientSecret: 's' });
  expect(readConfig({}).oidc).toBeUndefined();
  const together =
    /^WTS_OIDC_ISSUER, WTS_OIDC_CLIENT_ID, WTS_OIDC_CLIENT_SECRET belong together: set all or none$/;
  expect(() => readConfig({ ...all, WTS_OIDC_CLIENT_ID: '' })).toThrow(together);
  for (const wrong of ['http://login.acme.test', 'https://me@login.acme.test', `${issuer}?x`, 'login'])
    expect(() => readConfig({ ...all, WTS_OIDC_ISSUER: wrong })).toThrow(
      /^WTS_OIDC_ISSUER must be an https URL/,
    );
});

describe('an address with a password that is not encoded', () => {
  it.each(['pa@ss/word', '12/pa@ss', '12#pa55', '12?pa55', 'pa@ss?word', 'pa/55', 'pa%55word%'])(
    '%s is refused, and no part of it is shown',
    (password) => {
      const [DATABASE_URL, REDIS_URL] = ['postgres', 'redis'].map(
        (to) => `${to}://wts:${password}@host.test/1`,
      );
      const rule = 'URL, with @ / : ? # % in its password written as %40 %2F %3A %3F %23 %25';
      const told = `DATABASE_URL must be a postgres:// ${rule}\nREDIS_URL must be a redis:// ${rule}`;
      expect(() => readConfig({ DATABASE_URL, REDIS_URL })).toThrow(new Error(told));
    },
  );

  it.each([
    'postgres://wts:p%40%2F%3A%3F%23%25@host.test:5432/wts?sslmode=require',
    'postgresql:///wts?host=/var/run/postgresql&user=me@home',
    'postgres://host.test',
    'postgres://wts:p@ss@host.test/',
  ])('an address whose parts are clear is accepted: %s', (databaseUrl) => {
    expect(readConfig({ DATABASE_URL: databaseUrl })).toMatchObject({ databaseUrl });
  });
});

describe('NAME_FILE names the file that holds the value of NAME', () => {
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('for addresses with passwords and for secrets, without line breaks at the end', () => {
    const config = readConfig({
      DATABASE_URL_FILE: file('database', 'postgres://wts:p%40ss@db/wts\n'),
      REDIS_URL_FILE: file('redis', 'rediss://:pass@redis:6380\r\n'),
      WTS_SECRET_ACME__TOKEN_FILE: file('token', ' two\nlines \n\n'),
    });
    expect(config).toMatchObject({ databaseUrl: 'postgres://wts:p%40ss@db/wts', redisUrl: 'rediss://:pass@redis:6380', host: '::', warnings: [] }); // prettier-ignore
    expect([...config.secrets]).toEqual([['ACME__TOKEN', ' two\nlines ']]);
  });

  it('but not if it is empty, not for the database of a test service, and not for other settings', () => {
    expect(readConfig({ DATABASE_URL_FILE: '' }).databaseUrl).toBeUndefined();
    const theirs = { DATABASE_URL_FILE: file('theirs', 'postgres://db/theirs') };
    expect(readThrowAwayConfig(0, theirs)).toMatchObject({ databaseUrl: undefined, ephemeral: true });
    const { warnings } = readConfig({ WTS_AUTHOR_FILE: file('author', 'mina') });
    expect(warnings).toEqual(['WTS_AUTHOR_FILE is not a setting of this service']);
  });

  it('and every fault names it, but no value', () => {
    const environment = {
      DATABASE_URL_FILE: file('wrong', 'pa55word'),
      REDIS_URL_FILE: join(folder, 'none'),
      WTS_SECRET_ACME__TOKEN_FILE: file('empty', '\n'),
      WTS_SECRET_ACME__KEY: 'pa55word',
      WTS_SECRET_ACME__KEY_FILE: file('key', 'x'),
    };
    expect(() => readConfig(environment)).toThrow(
      new Error(`REDIS_URL_FILE must be a file that can be read (ENOENT)
WTS_SECRET_ACME__KEY and WTS_SECRET_ACME__KEY_FILE must not both be set
WTS_SECRET_ACME__TOKEN_FILE must be a file with a value
DATABASE_URL must be a postgres:// URL, with @ / : ? # % in its password written as %40 %2F %3A %3F %23 %25`),
    );
  });
});

it('the table of settings names each variable that config.ts reads, once, and no other', () => {
  expect(variablesOfTable()).toEqual(variablesAsked());
});

it('a start on a Node.js older than package.json asks for says so, before anything can fail', () => {
  const older = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"20.18.3"}})';
  const build = resolve(import.meta.dirname, '../../../tools/build/build.mjs');
  const { status, stderr } = spawnSync(process.execPath, ['--import', older, build, '--if-stale']);
  expect(stderr.toString()).toBe('The service needs Node.js 20.19 or later; this is 20.18.3.\n');
  expect(status).toBe(1);
});

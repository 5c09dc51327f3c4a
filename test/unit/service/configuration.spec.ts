import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readConfig } from '../../../src/config.js';

const manual = readFileSync(resolve(import.meta.dirname, '../../../docs/reference/settings.md'), 'utf8');

/** The variables that `readConfig` asks for; those of secrets by their common beginning. */
function variablesAsked(): string[] {
  const asked = new Set<string>();
  const environment = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get: (_, name) => void asked.add(String(name)),
      ownKeys: () => [],
    },
  );
  readConfig(environment);
  return [...asked, 'WTS_SECRET_<WORKSPACE>__<NAME>'].sort();
}

function variablesOfTable(): string[] {
  const rows = manual.matchAll(/^\| (`[^|]*`) +\|/gm);
  return [...rows].flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', ')).sort();
}

it('a database of somebody is never taken for a throw-away one', () => {
  const environment = { WTS_EPHEMERAL: '1', DATABASE_URL: 'postgres://localhost/wts' };
  expect(() => readConfig(environment)).toThrow(/^WTS_EPHEMERAL must not be 1 where DATABASE_URL names/);
});

describe('the table of settings', () => {
  it('names each variable that config.ts reads, once, and no other', () => {
    expect(variablesOfTable()).toEqual(variablesAsked());
  });

  it('is about secrets that config.ts knows by their names', () => {
    expect(readConfig({ WTS_SECRET_ACME__TOKEN: 'x' }).secrets.get('ACME__TOKEN')).toBe('x');
  });
});

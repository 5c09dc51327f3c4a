import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { de } from '../../../src/console/messages/de.js';
import { en } from '../../../src/console/messages/en.js';
import { sayings } from '../../../src/console/messages/sayings-de.js';

const root = resolve(import.meta.dirname, '../../../src');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.includes('messages'))
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n');

describe('what the API says, in German', () => {
  it('is what the API still says', () => {
    const isSaid = ([english]: readonly [string, string]): boolean =>
      english.split(/…|(?<=has a filename that )/).every((piece) => sources.includes(piece.trim()));
    expect(sayings.filter((saying) => !isSaid(saying)).map(([english]) => english)).toEqual([]);
  });

  it('has what differs in the places of the message', () => {
    expect(de.said('is longer than 255 characters')).toEqual({ text: 'ist länger als 255 Zeichen' });
    expect(de.said('Amount is required')).toEqual({ text: 'Amount ist erforderlich' });
    expect(de.said('is not one of: a … b, c')).toEqual({ text: 'ist keines von: a … b, c' });
    expect(de.said('No task `INV-1` in the workflow that `Invoices` leads to.')).toEqual({
      text: 'Keine Aufgabe `INV-1` im Workflow, zu dem `Invoices` führt.',
    });
  });

  it('stays as it is, and is marked, where it is not known', () => {
    expect(de.said('is stranger than that')).toEqual({ text: 'is stranger than that', lang: 'en' });
    expect(en.said('is required')).toEqual({ text: 'is required' });
  });

  it('is found in a moment however long the message', () => {
    expect(de.said('is longer than '.repeat(10_000)).lang).toBe('en');
  });
});

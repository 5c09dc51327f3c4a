import { sendBatch } from '../../support/batch.js';
import { everyType } from '../../support/definitions.js';
import { startServiceWith } from '../../support/service.js';

const { service, api } = await startServiceWith(everyType);

describe('a hostile client', () => {
  // Rule: the length of a text is checked before anything is hashed, and a key has at most 1,000 characters. A Set or Map of
  // hundreds of texts that are longer than 16,383 characters takes V8 seconds: it hashes them by their length.
  it.each([
    ['keys', (long: string[]) => `{"ID":"a",${long.map((text) => `"${text}":1`).join()}}`, 400],
    ['options', (long: string[]) => `{"ID":"a","Regions":${JSON.stringify(long)}}`, 422],
    [
      'blob ids',
      (long: string[]) =>
        `{"ID":"a","Contract":${JSON.stringify(long.slice(0, 2).map((blobId) => ({ blobId })))}}`,
      422,
    ],
    [
      'references',
      (long: string[]) => `{"ID":"a","Parts":${JSON.stringify(long.map((text) => ({ 'Part ID': text })))}}`,
      422,
    ],
    ['a text of escapes', () => `{"ID":"a","Text":"${'\\"'.repeat(4_000_000)}"}`, 422],
    [
      'a file of escapes',
      () =>
        `{"ID":"a","Contract":[{"filename":"a","contentType":"a/b","base64contents":"${'QUI\\/'.repeat(1_600_000)}"}]}`,
      201,
    ],
    ['values', () => `{"ID":"a","Text":[${'{},'.repeat(90_000)}{}]}`, 422],
  ] as const)('does not hold up others by megabytes of %s', async (_, bodyOf, status) => {
    const long = Array.from({ length: 400 }, (_, at) => `${'k'.repeat(20_000)}${at + 10_000}`);
    const body = bodyOf(long);
    const { worst, value } = await longestStretch(async () =>
      api.post('/api/v1/workflows/things/tasks', body),
    );
    expect([value.status, value.text.length < 1_000]).toEqual([status, true]);
    // Some tens of milliseconds of work, on a busy machine more; what is quadratic takes far longer.
    expect(worst).toBeLessThan(5_000);
  });

  // Rule: rows of a batch take turns with other work. A zone takes half a millisecond for a year that it does not know.
  it('does not hold up others by a batch of days in many years, which many clocks must compute', async () => {
    const zones = Intl.supportedValuesOf('timeZone')
      .filter((zone) => zone.startsWith('Europe/'))
      .slice(0, 10);
    await service.apply(`
workspace: { id: dated, name: Dated }
calendars: [${zones.map((zone, at) => `{ id: c${at}, timezone: ${zone}, hours: { mon: "09:00-17:00" } }`).join()}]
workflows:
  - id: dates
    name: Dates
    stages: [{ name: New }, { name: Done, end: true }]
    fields: [{ name: ID, type: uniqueId, required: true }, { name: Day, type: date }]
    clocks: [${zones.map((_, at) => `{ id: k${at}, calendar: c${at}, due: { field: Day } }`).join()}]
`);
    const rows = Array.from({ length: 500 }, (_, at) => ({ ID: String(at), Day: `${2 * at + 2000}-12-31` }));
    const { worst } = await longestStretch(async () =>
      sendBatch(service, 'dated', '/api/v1/workflows/dates/tasks', rows),
    );
    // All rows at once took 2.5 seconds on a quiet machine.
    expect(worst).toBeLessThan(1_500);
  });
});

/** Does the work, and says for how many milliseconds of it nothing else had its turn, at most. */
async function longestStretch<T>(work: () => Promise<T>): Promise<{ worst: number; value: T }> {
  let worst = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    worst = Math.max(worst, now - last);
    last = now;
  }, 5);
  const value = await work().finally(() => {
    clearInterval(timer);
  });
  return { worst, value };
}

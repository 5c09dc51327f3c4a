import fc from 'fast-check';
import { snoozedUntil } from '../../../src/messages/inbox/inboxes.js';

const at = (until: string, zone: string, now: string): string | undefined =>
  snoozedUntil(until, zone, new Date(now))?.toISOString();

describe('until when something is put off', () => {
  it('"tomorrow 08:00, Monday, or a date", by the clock of the reader', () => {
    // A Wednesday; in Tokyo it is Thursday already.
    expect(at('tomorrow', 'Europe/Berlin', '2026-11-25T20:00:00Z')).toBe('2026-11-26T07:00:00.000Z');
    expect(at('tomorrow', 'Asia/Tokyo', '2026-11-25T20:00:00Z')).toBe('2026-11-26T23:00:00.000Z');
    expect(at('monday', 'Europe/Berlin', '2026-11-25T20:00:00Z')).toBe('2026-11-30T07:00:00.000Z');
    // On a Monday it is the next one.
    expect(at('monday', 'Europe/Berlin', '2026-11-30T05:00:00Z')).toBe('2026-12-07T07:00:00.000Z');
    expect(at('2027-03-28', 'Europe/Berlin', '2026-11-25T20:00:00Z')).toBe('2027-03-28T06:00:00.000Z');
  });

  it('is always ahead, at most eleven years, and never on a day that is none', () => {
    const zones = fc.constantFrom('Europe/Berlin', 'Pacific/Apia', 'America/St_Johns', 'UTC');
    const now = fc.date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
    const until = fc.oneof(
      fc.constantFrom('tomorrow', 'monday'),
      fc
        .date({ min: new Date('1990-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
        .map((day) => day.toISOString().slice(0, 10)),
      fc.string(),
    );
    fc.assert(
      fc.property(until, zones, now, (text, zone, at) => {
        const then = snoozedUntil(text, zone, at);
        if (!then) return;
        expect(then.getTime()).toBeGreaterThan(at.getTime());
        expect(then.getTime() - at.getTime()).toBeLessThan(11 * 366 * 86_400_000);
      }),
    );
    expect(at('2026-02-30', 'UTC', '2026-01-01T00:00:00Z')).toBeUndefined();
  });
});

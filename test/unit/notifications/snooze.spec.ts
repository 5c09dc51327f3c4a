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

  it.each(['2026-11-25', '2038-01-01', '2026-02-30', 'soon', ''])('is nothing of %j', (until) => {
    expect(at(until, 'Europe/Berlin', '2026-11-25T20:00:00Z')).toBeUndefined();
  });
});

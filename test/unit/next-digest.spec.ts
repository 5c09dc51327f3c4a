import fc from 'fast-check';
import { nextDigest, zoneOfPerson } from '../../src/messages/inbox/mail/next-digest.js';
import { localAt, zoneOf } from '../../src/workflows/time/zone.js';

const HOUR = 3_600_000;
const at = (iso: string): number => Date.parse(iso);

// Rule (people.md 2.5): watching daily at 08:00 in the person's zone.
describe('the next digest', () => {
  it('is today while that is to come, and else tomorrow', () => {
    const next = (iso: string, zone: string): string =>
      new Date(nextDigest(at(iso), 8 * HOUR, zone)).toISOString();
    expect(next('2027-03-01T06:59:59.999Z', 'Europe/Berlin')).toBe('2027-03-01T07:00:00.000Z');
    expect(next('2027-03-01T07:00:00.000Z', 'Europe/Berlin')).toBe('2027-03-02T07:00:00.000Z');
    // The clocks are set forward and back.
    expect(next('2027-03-27T12:00:00Z', 'Europe/Berlin')).toBe('2027-03-28T06:00:00.000Z');
    expect(next('2027-10-30T12:00:00Z', 'Europe/Berlin')).toBe('2027-10-31T07:00:00.000Z');
    expect(next('2027-03-01T12:00:00Z', 'Pacific/Kiritimati')).toBe('2027-03-01T18:00:00.000Z');
  });

  it('is in the future and shows the time of day, wherever and whenever', () => {
    const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC'];
    const time = fc.date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(time, fc.constantFrom(...zones), fc.integer({ min: 5, max: 23 }), (now, zone, hour) => {
        const found = nextDigest(now.getTime(), hour * HOUR, zone);
        expect(found).toBeGreaterThan(now.getTime());
        expect(found).toBeLessThanOrEqual(now.getTime() + 26 * HOUR);
        expect(localAt(zoneOf(zone), found) % (24 * HOUR)).toBe(hour * HOUR);
      }),
    );
  });

  it('goes by the zone of the last browser, or else of the workspace', () => {
    expect(zoneOfPerson('Asia/Tokyo', 'UTC')).toBe('Asia/Tokyo');
    expect(zoneOfPerson('Mars/Olympus', 'UTC')).toBe('UTC');
    expect(zoneOfPerson(null, 'UTC')).toBe('UTC');
  });
});

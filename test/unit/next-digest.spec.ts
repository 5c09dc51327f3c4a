import { nextDigest, zoneOfPerson } from '../../src/messages/inbox/mail/next-digest.js';

describe('the next digest', () => {
  it('is today if its time is still to come, and otherwise tomorrow', () => {
    const next = (iso: string, zone: string): string => nextDigest(new Date(iso), zone).toISOString();
    expect(next('2027-03-01T06:59:59.999Z', 'Europe/Berlin')).toBe('2027-03-01T07:00:00.000Z');
    expect(next('2027-03-01T07:00:00.000Z', 'Europe/Berlin')).toBe('2027-03-02T07:00:00.000Z');
    // The clocks are set forward and back.
    expect(next('2027-03-27T12:00:00Z', 'Europe/Berlin')).toBe('2027-03-28T06:00:00.000Z');
    expect(next('2027-10-30T12:00:00Z', 'Europe/Berlin')).toBe('2027-10-31T07:00:00.000Z');
    expect(next('2027-03-01T12:00:00Z', 'Pacific/Kiritimati')).toBe('2027-03-01T18:00:00.000Z');
  });

  it('shows times in the zone of the last browser, or otherwise of the workspace', () => {
    expect(zoneOfPerson('Asia/Tokyo', 'UTC')).toBe('Asia/Tokyo');
    expect(zoneOfPerson('Mars/Olympus', 'UTC')).toBe('UTC');
    expect(zoneOfPerson(null, 'UTC')).toBe('UTC');
  });
});

import { once } from 'node:events';
import { Writable } from 'node:stream';
import { jest } from '@jest/globals';
import { Refusal } from '../../../src/lib/errors.js';
import { type BodyLease, BodyRoom } from '../../../src/http/body-room.js';

const mebibyte = 2 ** 20;

describe('room for 80 MB of bodies', () => {
  let room: BodyRoom;
  beforeEach(() => {
    jest.useFakeTimers();
    room = new BodyRoom(80 * mebibyte);
  });
  afterEach(() => jest.useRealTimers());

  const leaseOf = (workspaceId: number): BodyLease => room.lease({ workspaceId, keyId: 'key' });

  /** The body arrives, MB by MB, and is answered. */
  async function arrive(lease: BodyLease, length: number): Promise<void> {
    try {
      for (let arrived = mebibyte; arrived <= length; arrived += mebibyte) await lease.grow(arrived);
    } finally {
      lease.end();
    }
  }

  it('keeps none of the small ones’ room for large bodies that wait for their share, however many', async () => {
    const waiting = Array.from({ length: 200 }, async () => leaseOf(1).begin(30 * mebibyte));
    await leaseOf(1).begin(60_000);
    const ended = Promise.allSettled(waiting);
    await jest.advanceTimersByTimeAsync(10_000);
    expect((await ended).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('runs out for many that have begun: the one that waits too long is refused, and the others end', async () => {
    const leases = [1, 2, 3].map(leaseOf);
    for (const lease of leases) await lease.begin(30 * mebibyte);
    const arriving = Promise.allSettled(leases.map((lease) => arrive(lease, 30 * mebibyte)));
    await jest.advanceTimersByTimeAsync(10_000);
    const outcomes = await arriving;
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    const again = leaseOf(4);
    await again.begin(40 * mebibyte);
    await arrive(again, 40 * mebibyte);
  });

  it('is kept by no body whose client goes away while it waits', async () => {
    const res = new Writable();
    const other = leaseOf(1);
    await other.begin(40 * mebibyte);
    const lease = room.of({ principal: { workspaceId: 1, keyId: 'key' }, res });
    const begun = lease.begin(40 * mebibyte).catch((error: unknown) => error);
    await once(res.destroy(), 'close');
    other.end();
    expect(await begun).toEqual(new Refusal('malformed', 'The body ended early.'));
    await leaseOf(1).begin(40 * mebibyte);
  });
});

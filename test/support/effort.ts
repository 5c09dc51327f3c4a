/** Whether tests that try many things try all of them, as `npm run test:faults` does, and not only a part. */
export const isFull = process.env['WTS_FAULTS'] === 'full';

/** A count of which `npm test` takes a part: a third, or less where it is said. */
export const upTo = (count: number, parts = 3): number => (isFull ? count : Math.ceil(count / parts));

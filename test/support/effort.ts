/** Whether tests with many cases run all of them, as in `npm run test:faults`. */
export const isFull = process.env['WTS_FAULTS'] === 'full';

/** The part of a count that `npm test` runs: a third by default. */
export const upTo = (count: number, parts = 3): number => (isFull ? count : Math.ceil(count / parts));

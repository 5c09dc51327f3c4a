import { type Case } from './cases.js';
import { type Drive, drive } from './drive.js';
import { type Target } from './target.js';

export interface Turns {
  readonly target: string;
  /** Requests per second. */
  readonly rates: number[];
  /** Microseconds of the target's own processor time per request. */
  readonly costs: number[];
  /** The milliseconds that 99 of 100 requests took at most. */
  readonly p99: number[];
}

export interface Rounds {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  /** Brings the database into the same state for the next turn. */
  readonly prepare: () => Promise<void>;
  /** Returns a number that no request has used. */
  readonly nextNumber: () => number;
}

export interface Contender {
  readonly target: Target;
  readonly request: Case['request'];
}

/** Lets the contenders take turns (A B C A B C …), after a warm-up of each. */
export async function takeTurns(
  all: readonly Contender[],
  { rounds, seconds, connections, prepare, nextNumber }: Rounds,
): Promise<Turns[]> {
  const turns = all.map(({ target }): Turns => ({ target: target.name, rates: [], costs: [], p99: [] }));
  const driven = ({ target, request }: Contender): Promise<Drive> =>
    drive(target.port, () => request(nextNumber()), seconds, connections);
  for (const each of all) await driven(each);
  for (let round = 0; round < rounds; round++) {
    for (const [index, each] of all.entries()) {
      await prepare();
      const before = await each.target.ask('cpu');
      const done = await driven(each);
      const used = (await each.target.ask('cpu')) - before;
      turns[index]?.rates.push(done.requests / done.seconds);
      turns[index]?.costs.push(used / done.all);
      turns[index]?.p99.push(percentile(done.latencies, 0.99));
    }
  }
  return turns;
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  const [low = 0, high = 0] = [
    sorted[Math.ceil(sorted.length / 2) - 1],
    sorted[Math.floor(sorted.length / 2)],
  ];
  return (low + high) / 2;
}

/** Returns a percentile of numbers that are in ascending order. */
export function percentile(numbers: readonly number[], part: number): number {
  return numbers[Math.min(numbers.length - 1, Math.floor(numbers.length * part))] ?? NaN;
}

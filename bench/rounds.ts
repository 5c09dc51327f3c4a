import { type Case } from './cases.js';
import { drive } from './drive.js';
import { type Target } from './target.js';

/** What the turns of one target came to, in order. */
export interface Turns {
  readonly target: string;
  /** Requests per second. */
  readonly rates: number[];
  /** Microseconds of the target's own processor time per request. */
  readonly costs: number[];
}

export interface Rounds {
  readonly rounds: number;
  readonly seconds: number;
  /** Makes the database the same for whoever comes next. */
  readonly prepare: () => Promise<void>;
  /** A number that no request had before. */
  readonly nextNumber: () => number;
}

/** Lets the targets take turns with one case (A B C A B C …), after a warm-up of each. */
export async function takeTurns(
  one: Case,
  targets: readonly Target[],
  { rounds, seconds, prepare, nextNumber }: Rounds,
): Promise<Turns[]> {
  const turns = targets.map((target): Turns => ({ target: target.name, rates: [], costs: [] }));
  const next = (): string => one.request(nextNumber());
  for (const target of targets) await drive(target.port, next, seconds);
  for (let round = 0; round < rounds; round++) {
    for (const [index, target] of targets.entries()) {
      await prepare();
      const before = Number(await target.ask('cpu'));
      const { requests, all, seconds: measured } = await drive(target.port, next, seconds);
      const used = Number(await target.ask('cpu')) - before;
      turns[index]?.rates.push(requests / measured);
      turns[index]?.costs.push(used / all);
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

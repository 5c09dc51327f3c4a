import { openBench, type Bench } from '../open-bench.js';
import { type AtEnd } from '../lifetime.js';
import { median, takeTurns } from '../rounds.js';
import { startTarget } from '../target.js';
import { type Contender } from '../rounds.js';
import { timeDefinition, timePath } from './definition.js';

/** The rate of a workflow with rules and clocks as a share of the rate without them, for creations and for updates. */
export interface Overhead {
  readonly create: number;
  readonly update: number;
}

/**
 * Two services, each with its own database, take turns. They only write: other processes carry out the consequences.
 */
export async function measureOverhead(rounds: number, seconds: number, atEnd: AtEnd): Promise<Overhead> {
  const [plain, timed] = [
    await open({ rules: 0, clocks: 0 }, 'without', atEnd),
    await open({ rules: 50, clocks: 3 }, 'with', atEnd),
  ];
  // Each has its own numbers, so that an update never meets a task that only the other has.
  const numbers = new Map<Bench, number>();
  const next = (bench: Bench): number => {
    const number = (numbers.get(bench) ?? 0) + 1;
    numbers.set(bench, number);
    return number;
  };
  const prepare = (): Promise<void> => Promise.resolve();
  const of = async (request: (bench: Bench, n: number) => string): Promise<number> => {
    const contender = ({ bench, target }: Opened): Contender => ({
      name: target.name,
      target,
      one: { request: () => request(bench, next(bench)) },
    });
    const all = [contender(plain), contender(timed)];
    const [without, withThem] = await takeTurns(all, {
      rounds,
      seconds,
      connections: 16,
      prepare,
      nextNumber: () => 0,
    });
    return median((withThem?.rates ?? []).map((rate, round) => rate / (without?.rates[round] ?? NaN)));
  };
  const create = await of(({ ask }, n) =>
    ask('POST', timePath, { ID: `new-${n}`, Amount: `${n % 9000}.25`, Score: '1' }),
  );
  const known = new Map(numbers);
  const update = await of((bench, n) =>
    bench.ask('POST', timePath, {
      ID: `new-${1 + (n % (known.get(bench) ?? 1))}`,
      Amount: `${n % 8999}.75`,
      Stage: n % 2 ? 'Waiting' : 'Review',
    }),
  );
  return { create, update };
}

type Opened = Awaited<ReturnType<typeof open>>;

async function open(wanted: { rules: number; clocks: number }, name: string, atEnd: AtEnd) {
  const bench = await openBench(timeDefinition(wanted), atEnd);
  const env = { DATABASE_URL: bench.url, WTS_ROLE: 'api' };
  return { bench, target: await startTarget({ name, program: 'src/main.js', env }, atEnd) };
}

import { type Case } from './cases.js';
import { drive } from './drive.js';
import { restore } from './measure.js';
import { type Options } from './options.js';
import { type Ground } from './prepare.js';
import { median, percentile } from './rounds.js';
import { say } from './say.js';
import { type Target } from './target.js';

/** The results of a target over so many connections. */
export interface Crowd {
  readonly case: string;
  readonly connections: number;
  /** For the service, the floor and the floor that records. */
  readonly targets: readonly { readonly rate: number; readonly p50: number; readonly p99: number }[];
}

/** Measures the wanted cases of a single task over few and over many connections; the targets take turns. */
export async function measureCrowds(ground: Ground, options: Options): Promise<Crowd[]> {
  const crowds: Crowd[] = [];
  let number = 0;
  for (const one of ground.cases.filter(({ name }) => ofOneTask.includes(name))) {
    if (options.cases.length > 0 && !options.cases.includes('connections')) continue;
    await restore(ground);
    for (const connections of [1, 8, 32, 256]) {
      const targets = ground.targets.slice(0, 3);
      const next = (): string => one.request((number += 1));
      const rounds = await takeRounds(targets, next, connections, options);
      const crowd = { case: one.name, connections, targets: rounds };
      crowds.push(crowd);
      say(
        `${one.name}, ${connections} connections: ${rounds.map(({ rate }) => rate.toFixed(0)).join(', ')}/s`,
      );
    }
  }
  return crowds;
}

const ofOneTask: readonly Case['name'][] = ['read one', 'create', 'partial update'];

async function takeRounds(
  targets: readonly Target[],
  next: () => string,
  connections: number,
  { rounds, seconds }: Pick<Options, 'rounds' | 'seconds'>,
): Promise<Crowd['targets']> {
  const all = targets.map(() => ({ rates: [] as number[], p50: [] as number[], p99: [] as number[] }));
  for (let round = 0; round < Math.ceil(rounds / 3); round += 1)
    for (const [at, target] of targets.entries()) {
      const turn = await drive(target.port, next, seconds, connections);
      all[at]?.rates.push(turn.requests / turn.seconds);
      all[at]?.p50.push(percentile(turn.latencies, 0.5));
      all[at]?.p99.push(percentile(turn.latencies, 0.99));
    }
  return all.map(({ rates, p50, p99 }) => ({ rate: median(rates), p50: median(p50), p99: median(p99) }));
}

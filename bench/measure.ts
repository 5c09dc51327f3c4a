import { type Case } from './cases.js';
import { clean } from './database.js';
import { isWanted, type Options } from './options.js';
import { type Ground } from './prepare.js';
import { median, takeTurns, type Turns } from './rounds.js';
import { requireSameAnswers } from './same-answers.js';
import { say } from './lifetime.js';

/** The results of a case over so many connections. */
export interface Measured {
  readonly case: Case;
  readonly connections: number;
  /** In the order of the targets. */
  readonly turns: readonly Turns[];
}

/** Measures the wanted cases over many connections and over one. Each time, first restores the database. */
export async function measureCases(ground: Ground, options: Options): Promise<Measured[]> {
  const wanted = ground.cases.filter(({ name }) => isWanted(name, options));
  let number = 0;
  const nextNumber = (): number => ++number;
  for (const one of wanted)
    await requireSameAnswers(one, ground.targets, nextNumber, () => forgetCreated(ground));
  const measured: Measured[] = [];
  for (const one of wanted)
    for (const connections of [options.connections, 1]) {
      await restore(ground);
      const prepare = (): Promise<void> => (one.isWrite ? clean(ground.db) : Promise.resolve());
      const rounds = { ...options, connections, prepare, nextNumber };
      const contenders = ground.targets.map((target) => ({ target, request: one.request }));
      const turns = await takeTurns(contenders, rounds);
      const rates = turns.map(({ target, rates }) => `${target} ${median(rates).toFixed(0)}/s`);
      say(`${one.name}, ${connections} connections: ${rates.join(', ')}`);
      measured.push({ case: one, connections, turns });
    }
  return measured;
}

/** Deletes what cases have created, and cleans up before the next one. */
async function restore(ground: Ground): Promise<void> {
  await forgetCreated(ground);
  await clean(ground.db);
  await ground.db.query('ANALYZE');
}

async function forgetCreated({ db }: Ground): Promise<void> {
  await db.query(`DELETE FROM tasks WHERE unique_value LIKE 'new-%'`);
  await db.query('TRUNCATE events');
}

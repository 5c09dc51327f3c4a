import { type Case } from './cases.js';
import { clean } from './database.js';
import { drive } from './drive.js';
import { type Options } from './options.js';
import { type Ground } from './prepare.js';
import { type Profile, profileCase } from './profile.js';
import { contenders, median, takeTurns, type Turns } from './rounds.js';
import { requireSameAnswers } from './same-answers.js';
import { say } from './say.js';

export interface Measured {
  readonly case: Case;
  /** In the order of the targets. */
  readonly turns: readonly Turns[];
  /** In the order of the targets. */
  readonly profiles: readonly Profile[];
}

/** Measures the wanted cases in turn, each on a database without traces of the last. */
export async function measureCases(ground: Ground, options: Options): Promise<Measured[]> {
  const wanted = ground.cases.filter(
    ({ name }) => options.cases.length === 0 || options.cases.some((word) => name.includes(word)),
  );
  let number = 0;
  const nextNumber = (): number => ++number;
  for (const one of wanted)
    await requireSameAnswers(one, ground.targets, nextNumber, () => forgetCreated(ground));
  const measured: Measured[] = [];
  for (const one of wanted) {
    await restore(ground);
    const prepare = (): Promise<void> => (one.isWrite ? clean(ground.db) : Promise.resolve());
    const turns = await takeTurns(contenders(one, ground.targets), { ...options, prepare, nextNumber });
    say(line(one, turns));
    const profiles: Profile[] = [];
    for (const target of ground.targets)
      profiles.push(await profileCase(target, one, nextNumber, options.seconds));
    measured.push({ case: one, turns, profiles });
  }
  return measured;
}

/** The request log's share of the service's processor time for reading one task. */
export async function measureLog({ cases, targets, quiet }: Ground, options: Options): Promise<number> {
  const [one, service] = [cases[0], targets[0]];
  if (!one || !service) return NaN;
  let number = 0;
  const nextNumber = (): number => ++number;
  // The service was warmed up by all cases before; this one was not.
  await drive(quiet.port, () => one.request(nextNumber()), options.seconds * 3);
  const rounds = { ...options, prepare: () => Promise.resolve(), nextNumber };
  const [withLog, without] = await takeTurns(contenders(one, [service, quiet]), rounds);
  return 1 - median(without?.costs ?? []) / median(withLog?.costs ?? []);
}

/** Deletes what cases have created, and cleans up before the next one. */
export async function restore(ground: Ground): Promise<void> {
  await forgetCreated(ground);
  await clean(ground.db);
  await ground.db.query('ANALYZE');
}

async function forgetCreated({ db }: Ground): Promise<void> {
  await db.query(`DELETE FROM tasks WHERE unique_value LIKE 'new-%'`);
  await db.query('TRUNCATE events');
}

function line({ name }: Case, turns: readonly Turns[]): string {
  const rates = turns.map((turn) => median(turn.rates));
  const costs = turns.map((turn) => median(turn.costs));
  const [service = NaN, floor = NaN, recording = NaN] = rates;
  return [
    name.padEnd(14),
    turns.map(({ target }, index) => `${target} ${(rates[index] ?? 0).toFixed(0)}/s`).join(', '),
    `${(service / floor).toFixed(3)} of the floor, ${(service / recording).toFixed(3)} of that which records`,
    `${costs.map((cost) => cost.toFixed(0)).join(' / ')} µs of their own time`,
  ].join('  ');
}

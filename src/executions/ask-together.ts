import { type EntityManager } from 'typeorm';
import { isOfStatement } from '../database/pool.js';
import { type Spent } from '../../packages/fair/spent.js';
import { sharing, spentOf } from '../database/sql.js';
import { sharedBy } from '../database/shared-data-source.js';
import { Together } from '../database/together.js';
import { Refusal } from '../lib/errors.js';

/** A request that may travel with others of its line. */
interface Riding {
  /** All of one line are asked for in the same way. */
  readonly line: string;
  readonly db: EntityManager;
  readonly request: string;
  readonly keyId?: string | undefined;
}

/**
 * What a statement for many answers to one request, which travels with those of its line that come at the same time, unless
 * it is a part of a transaction. Each goes alone, by a statement of its own if there is one, where PostgreSQL refuses that for all.
 */
export async function askTogether<Answer>(
  riding: Riding,
  askFor: (db: EntityManager, requests: readonly string[]) => Promise<readonly (Answer | undefined)[]>,
  askAlone?: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  const answersTo = async (riders: readonly Riding[], spent?: Spent): Promise<(Answer | null)[]> => {
    // The youngest of the requests has the most time.
    const { db } = riders.at(-1) ?? riding;
    const requests = riders.map(({ request }) => request);
    return (await askFor(spent ? sharing(db, spent) : db, requests)).map((answer) => answer ?? null);
  };
  const alone = async (): Promise<Answer | null> =>
    (askAlone ? await askAlone() : (await answersTo([riding]))[0]) ?? null;
  const { line, db, keyId } = riding;
  const together = sharedBy(db).line(
    line,
    () =>
      new Together<Riding, Answer | null>({
        askFor: (riders, spent) => answersTo(riders, spent).catch(noneIfRefused),
        lengthOf: ({ request }) => request.length,
      }),
  );
  return (
    (await (db.queryRunner ? alone() : together.ask(() => riding, keyId, alone, spentOf(db)))) ?? undefined
  );
}

/** Whatever else fails may have been written: nobody may write it again. */
function noneIfRefused(error: unknown): [] {
  if (isOfStatement(error) && !(error instanceof Refusal)) return [];
  throw error;
}

import { type EntityManager } from 'typeorm';
import { isOfStatement } from '../database/pool.js';
import { sharedBy } from '../database/shared-data-source.js';
import { Together } from '../database/together.js';
import { Refusal } from '../lib/errors.js';

/** A request that may be combined with others of the same line. */
interface Riding {
  /** Requests with the same line are asked for in the same way. */
  readonly line: string;
  readonly db: EntityManager;
  readonly request: string;
  readonly keyId?: string | undefined;
}

/**
 * Combines simultaneous requests of one line into one statement, except within a transaction, and returns the answer to
 * one of them. If PostgreSQL refuses the combined statement, each request is asked alone, with `askAlone` if given.
 */
export async function askTogether<Answer>(
  riding: Riding,
  askFor: (db: EntityManager, requests: readonly string[]) => Promise<readonly (Answer | undefined)[]>,
  askAlone?: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  const answersTo = async (riders: readonly Riding[]): Promise<(Answer | null)[]> => {
    // The latest request has the latest deadline.
    const { db } = riders.at(-1) ?? riding;
    const requests = riders.map(({ request }) => request);
    return (await askFor(db, requests)).map((answer) => answer ?? null);
  };
  const alone = async (): Promise<Answer | null> =>
    (askAlone ? await askAlone() : (await answersTo([riding]))[0]) ?? null;
  const { line, db, keyId } = riding;
  const together = sharedBy(db).line(
    line,
    () =>
      new Together<Riding, Answer | null>({
        askFor: (riders) => answersTo(riders).catch(noneIfRefused),
        lengthOf: ({ request }) => request.length,
      }),
  );
  return (await (db.queryRunner ? alone() : together.ask(() => riding, keyId, alone))) ?? undefined;
}

/** After any other error the statement may have been carried out, so it must not be repeated. */
function noneIfRefused(error: unknown): [] {
  if (isOfStatement(error) && !(error instanceof Refusal)) return [];
  throw error;
}

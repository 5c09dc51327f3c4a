import { type EntityManager } from 'typeorm';

/** Runs work in a transaction, returns its result, and rolls back. */
export async function rehearse<T>(
  transaction: (work: (tx: EntityManager) => Promise<T>) => Promise<T>,
  work: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  let outcome: { readonly value: T } | undefined;
  try {
    return await transaction(async (tx) => {
      outcome = { value: await work(tx) };
      throw new Rehearsed('nothing is to be kept');
    });
  } catch (error) {
    if (error instanceof Rehearsed && outcome) return outcome.value;
    throw error;
  }
}

/** Thrown to roll back a transaction that succeeded. */
class Rehearsed extends Error {}

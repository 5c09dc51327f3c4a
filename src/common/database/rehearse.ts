import { type EntityManager } from 'typeorm';

/** Runs work in a transaction and returns its result. Commits only if `keeps` returns true for the result. */
export async function rehearse<T>(
  transaction: (work: (tx: EntityManager) => Promise<T>) => Promise<T>,
  work: (tx: EntityManager) => Promise<T>,
  keeps: (outcome: T) => boolean = () => false,
): Promise<T> {
  let outcome: { readonly value: T } | undefined;
  try {
    return await transaction(async (tx) => {
      outcome = { value: await work(tx) };
      if (!keeps(outcome.value)) throw new Rehearsed('nothing is to be kept');
      return outcome.value;
    });
  } catch (error) {
    if (error instanceof Rehearsed && outcome) return outcome.value;
    throw error;
  }
}

/** Thrown to roll back a transaction that succeeded. */
class Rehearsed extends Error {}

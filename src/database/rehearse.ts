import { type EntityManager } from 'typeorm';

/** Does work in a transaction and returns what came of it; what was written is kept only where `keeps` says so of that. */
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

/** Rolls a transaction back that went well. */
class Rehearsed extends Error {}

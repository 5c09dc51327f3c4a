const mostAtOnce = 4;

/** Does the work for every item, four at a time; when one fails, the others under way are waited for. */
export async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const line = items.values();
  const workers = Array.from({ length: mostAtOnce }, async () => {
    for (const item of line) await work(item);
  });
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Runs the work for one element after the other. Continues after errors, and throws them at the end. */
export async function doEach<T>(all: Iterable<T>, work: (one: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const one of all)
    await work(one).catch((error: unknown) => {
      failures.push(error);
    });
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} elements failed`);
}

/**
 * Runs the work for `atOnce` elements at a time. After an error, starts no further work. Throws the first
 * error when the running work has ended.
 */
export async function doSideBySide<T>(
  all: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<void>,
): Promise<void> {
  const rest = all.values();
  const failures: unknown[] = [];
  const workOn = async (): Promise<void> => {
    for (const one of rest) {
      if (failures.length > 0) return;
      await work(one).catch((error: unknown) => {
        failures.push(error);
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, workOn));
  if (failures.length > 0) throw failures[0];
}

/** Runs the work for three elements at a time, so that connections remain for other requests. */
export async function fewAtATime<From, To>(
  all: readonly From[],
  work: (each: From) => Promise<To>,
): Promise<To[]> {
  const done: To[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE)
    done.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(work))));
  return done;
}

const AT_ONCE = 3;

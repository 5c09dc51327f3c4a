/** Does the same with all, three at a time: one request leaves connections to others. */
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

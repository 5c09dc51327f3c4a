let last = Promise.resolve();

/** Lets others have the event loop: of all long work that waits for its turn, one goes on in each round of the loop. */
export function turn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}

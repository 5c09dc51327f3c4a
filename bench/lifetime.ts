/** Registers an action for the end; the last registered action runs first. */
export type AtEnd = (ending: () => unknown) => void;

/** Runs work, and then ends everything that it has started: on success, on failure and on Ctrl-C. */
export async function withLifetime(work: (atEnd: AtEnd) => Promise<void>): Promise<void> {
  const endings: (() => unknown)[] = [];
  let ended: Promise<void> | undefined;
  const end = (): Promise<void> => (ended ??= endAll(endings));
  const state = { isInterrupted: false };
  const onSignal = (): void => {
    state.isInterrupted = true;
    void end().then(() => process.exit(130));
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    await work((ending) => endings.push(ending));
  } catch (error) {
    // After an interruption, errors only say that resources are gone.
    if (!state.isInterrupted) throw error;
  } finally {
    await end();
  }
}

async function endAll(endings: (() => unknown)[]): Promise<void> {
  for (let ending = endings.pop(); ending; ending = endings.pop()) {
    try {
      await ending();
    } catch (error) {
      process.stderr.write(`${String(error)}\n`);
    }
  }
}

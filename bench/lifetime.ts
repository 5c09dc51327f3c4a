/** Ends something that was begun; what was begun last is ended first. */
export type AtEnd = (ending: () => unknown) => void;

/** Works, and ends everything that the work began: when it is done, when it fails and on Ctrl-C. */
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
    // What fails because its ground is being taken away has nothing to tell.
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

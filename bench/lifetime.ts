/** Registers an action for the end; the last registered action runs first. */
export type AtEnd = (ending: () => unknown) => void;

/** Runs work, and then ends everything that it has started: on success, on failure and on Ctrl-C. */
export async function withLifetime(work: (atEnd: AtEnd) => Promise<void>): Promise<void> {
  const endings: (() => unknown)[] = [];
  const end = async (): Promise<void> => {
    for (let ending = endings.pop(); ending; ending = endings.pop())
      await Promise.resolve(ending()).catch((error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
      });
  };
  const interrupt = (): void => void end().finally(() => process.exit(130));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  await work((ending) => endings.push(ending)).finally(end);
}

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

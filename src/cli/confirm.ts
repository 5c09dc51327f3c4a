import { createInterface } from 'node:readline/promises';
import { visible } from './paint.js';

/** Whether to go on with what cannot be undone: `--yes` says so, a person at a terminal is asked, nobody else may. */
export async function confirm(question: string, { yes }: { readonly yes?: true }): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new Error(`${question} Nobody is here to be asked: say --yes to do it.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(visible(`${question} [y/N] `))).trim());
  } finally {
    terminal.close();
  }
}

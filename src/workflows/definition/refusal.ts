import { type Effect, renderExample } from '../model/effect.js';

/** A valid definition that would lose data if it were applied. */
export class DefinitionRefused extends Error {
  constructor(readonly reasons: readonly string[]) {
    super(reasons.join('\n'));
  }
}

/** The reasons to refuse a definition with these effects; empty if there are none. */
export function refusalsOf(effects: readonly Effect[], allowsDataLoss: boolean): string[] {
  const refused = effects.filter(({ kind }) => kind === 'blocked' || (kind === 'loses' && !allowsDataLoss));
  return refused.map(
    ({ what, name, message, examples }) =>
    [`${what} ${name}: ${message}`, ...(examples.length > 0 ? [examples.map(renderExample).join(', ')] : [])].join(': '), // prettier-ignore
  );
}

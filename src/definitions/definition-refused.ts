import { type Effect, renderExample } from './data/effect.js';

/** A definition that is well made but would lose data if it were applied. */
export class DefinitionRefused extends Error {
  constructor(readonly reasons: readonly string[]) {
    super(reasons.join('\n'));
  }
}

/** Why a definition with these effects is refused; empty when it is not. */
export function refusalsOf(effects: readonly Effect[], allowsDataLoss: boolean): string[] {
  const refused = effects.filter(({ kind }) => kind === 'blocked' || (kind === 'loses' && !allowsDataLoss));
  return refused.map(
    ({ what, name, message, examples }) =>
    [`${what} ${name}: ${message}`, ...(examples.length > 0 ? [examples.map(renderExample).join(', ')] : [])].join(': '), // prettier-ignore
  );
}

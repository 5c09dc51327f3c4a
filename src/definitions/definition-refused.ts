/** A definition that is well made but would lose data if it were applied. */
export class DefinitionRefused extends Error {
  constructor(readonly reasons: readonly string[]) {
    super(reasons.join('\n'));
  }
}

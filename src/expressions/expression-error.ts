/** An expression that does not compile, or that could not be evaluated: one line for people. */
export class ExpressionError extends Error {}

/** An evaluation that was stopped because it would hold up others. */
export class TooCostly extends ExpressionError {
  constructor() {
    super('the expression takes too long');
  }
}

/** An expression that does not compile, or that could not be evaluated: one line for people. */
export class ExpressionError extends Error {}

import { TellingError } from '../../common/errors.js';

/** Thrown if an expression does not compile or cannot be evaluated. The message is one line for people. */
export class ExpressionError extends TellingError {}

export class TooManyLinked extends ExpressionError {}

export class TooLargeLinked extends TooManyLinked {}

export class TakesTooLong extends ExpressionError {
  constructor() {
    super('the expression takes too long');
  }
}

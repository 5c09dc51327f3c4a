import { TellingError } from '../../common/errors.js';

/** Thrown if an expression or template is invalid or cannot be evaluated. The message is one line. */
export class ExpressionError extends TellingError {}

export class TooManyLinked extends ExpressionError {}

export class TooLargeLinked extends TooManyLinked {}

export class TakesTooLong extends ExpressionError {
  constructor() {
    super('the expression takes too long');
  }
}

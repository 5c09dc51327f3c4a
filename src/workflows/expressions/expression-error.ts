import { TellingError } from '../../common/errors.js';

/** An expression does not compile or cannot be evaluated. The message is one line for people. */
export class ExpressionError extends TellingError {}

export class TooManyLinked extends ExpressionError {}

export class TooLargeLinked extends TooManyLinked {}

/** An evaluation was stopped because it took too long. */
export class TakesTooLong extends ExpressionError {
  constructor() {
    super('the expression takes too long');
  }
}

import { TellingError } from '../../common/errors.js';
import { type Message } from '../../common/message.js';

/** An expression does not compile or cannot be evaluated. The message is one line for people. */
export class ExpressionError extends TellingError {
  constructor(
    said: Message,
    /** The line of the fault within the expression, from 0, if known. */
    readonly line?: number,
  ) {
    super(said);
  }
}

export class TooManyLinked extends ExpressionError {}

export class TooLargeLinked extends TooManyLinked {}

/** An evaluation was stopped because it took too long. */
export class TakesTooLong extends ExpressionError {
  constructor() {
    super('the expression takes too long');
  }
}

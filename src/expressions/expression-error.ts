import { TellingError } from '../lib/errors.js';
import { type Message } from '../lib/message.js';

/** An expression that does not compile, or that could not be evaluated: one line for people. */
export class ExpressionError extends TellingError {
  constructor(
    said: Message,
    /** The line of the expression that is wrong, from 0, where that is known. */
    readonly line?: number,
  ) {
    super(said);
  }
}

/** An expression was not evaluated, because more tasks are linked than it may read. */
export class TooManyLinked extends ExpressionError {}

/** The values of those that are read are too large together. */
export class TooLargeLinked extends TooManyLinked {}

/** An evaluation that was stopped because it would hold up others. */
export class TooCostly extends ExpressionError {
  constructor() {
    super('the expression takes too long');
  }
}

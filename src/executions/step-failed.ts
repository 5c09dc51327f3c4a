import { InvalidFields } from '../errors/field-errors.js';
import { ExpressionError } from '../expressions/expression-error.js';

/** A step cannot be done; the message says why, and is shown to clients. */
export class StepFailed extends Error {}

/** Why a step failed, if that is what was thrown. */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof StepFailed || error instanceof ExpressionError) return error.message;
  if (!(error instanceof InvalidFields)) return undefined;
  return error.fields
    .flatMap(([name, messages]) =>
      messages.map((message) => (name === 'base' ? message : `${shownName(name)} ${message}`)),
    )
    .join('; ');
}

/** What another system has called a field may be any text; one that is stored has no NUL. */
function shownName(name: string): string {
  return name.slice(0, 100).replaceAll(/\p{Cc}/gu, '\ufffd');
}

/** An execution that was not begun, and why: a message for each thing that stands in its way. */
export class RefusedExecution extends Error {
  constructor(readonly errors: readonly string[]) {
    super('the execution is refused');
  }
}

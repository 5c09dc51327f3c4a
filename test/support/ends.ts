import { ExecutionsService } from '../../src/executions/executions.service.js';
import { type TestService } from './service.js';
import { patience } from './until.js';

/** Whoever waits for the end of an execution gets it: a page waits a second, and a list five, in which a slow machine may do nothing. */
export function awaitEnds({ app }: TestService): void {
  const executions = app.get(ExecutionsService);
  const [start, read] = [executions.start.bind(executions), executions.read.bind(executions)];
  executions.start = (scope, payload, options) =>
    start(scope, payload, { ...options, waitMs: options.waitMs > 0 ? patience : 0 });
  executions.read = (scope, id) => read(scope, id, patience);
}

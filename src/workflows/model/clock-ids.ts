import { listIn } from './kind.js';

/** The ids of the clocks of a workflow, which queries and expressions name. */
export const clockIdsOf = (workflow: object): string[] =>
  listIn(workflow, 'clocks').flatMap((clock) =>
    'id' in clock && typeof clock.id === 'string' ? clock.id : [],
  );

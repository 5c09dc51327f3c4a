import { type ShownRun } from '../../executions/runs/run.dto.js';

/** The name of a starter, such as `rule hand-over`. A timer has no name. */
export function starterName({ kind, id }: ShownRun['by']): string {
  if (id === null) return 'something that you may not see';
  return kind === 'timer' ? kind : `${kind} ${id}`;
}

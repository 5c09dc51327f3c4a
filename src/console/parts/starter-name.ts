import { type ShownRun } from '../../executions/runs/run.dto.js';

/**
 * Names what started an execution or caused a change, such as `rule hand-over`. A timer has no name of its
 * own.
 */
export function starterName({ kind, id }: ShownRun['by']): string {
  if (id === null) return 'something that you may not see';
  return kind === 'timer' ? kind : `${kind} ${id}`;
}

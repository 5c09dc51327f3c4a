import { type VNode } from 'preact';
import { type Message } from '../../common/message.js';
import { type ShownRun } from '../../executions/runs/run.dto.js';
import { Sayings, said } from './sayings.js';

/** The name of a starter: rule hand-over. A timer has no name. */
export function starterName({ kind, id }: ShownRun['by']): string {
  if (id === null) return 'something that you may not see';
  return kind === 'timer' ? kind : `${kind} ${id}`;
}

/** What started a change, and why, as far as the reader may know it; the end of a sentence. */
export function ByItself({ by, because }: ByItselfProps): VNode | null {
  if (!by && because === null) return null;
  return (
    <span class="muted">
      {by && `, by ${starterName(by)}`}
      {because !== null && (
        <>
          , because <Sayings all={[said(because)]} />
        </>
      )}
    </span>
  );
}

interface ByItselfProps {
  readonly by: ShownRun['by'] | undefined;
  readonly because: Message | null;
}

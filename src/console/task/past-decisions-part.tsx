import { type VNode } from 'preact';
import { type PastDecision } from '../../approvals/past-decisions.js';
import { Sayings, said, useNamed } from '../parts/sayings.js';
import { Table } from '../parts/table.js';
import { Instant } from '../parts/time.js';
import { Somebody } from '../parts/value.js';
import { type TaskPageView, useTask } from './task-view.js';

/** Who decided what on actions that are done: what an auditor asks for. */
export function PastDecisions(): VNode | null {
  const view = useTask();
  const { pastDecisions } = view;
  const named = useNamed();
  if (pastDecisions.length === 0) return null;
  return (
    <section id="past-decisions">
      <details class="history">
        <summary>
          <h2>Approvals so far</h2>
        </summary>
        <p class="muted">Who decided what before each action, kept as evidence.</p>
        <Table
          caption="Approvals so far"
          head={['Action', 'Group', 'Who', 'Decision', 'About', 'When']}
          rows={pastDecisions.map((decision) => cellsOf(view, decision, named))}
        />
      </details>
    </section>
  );
}

function cellsOf(
  { scope }: TaskPageView,
  decision: PastDecision,
  named: (message: string) => string,
): VNode[] {
  const { actionId, groupId, by, for: onBehalf, comment, via, covers, decidedAt } = decision;
  const action = scope.workflow.actions.find(({ id }) => id === actionId)?.name ?? actionId;
  const state = decision.hasCounted ? 'counted' : 'did not count';
  return [
    <span>{action}</span>,
    <span>{groupId ?? '–'}</span>,
    <>
      <Somebody email={by ?? '–'} />
      {onBehalf !== null && <p class="muted small">for {named(onBehalf)}</p>}
      {via !== null && <p class="muted small">{via}</p>}
    </>,
    <>
      <strong>{decisionNames[decision.decision] ?? 'overridden'}</strong> <span class="muted">{state}</span>
      {comment !== null && <p class="lines">{comment}</p>}
      {decision.because !== null && (
        <p class="muted small">
          <Sayings all={[said(decision.because)]} />
        </p>
      )}
    </>,
    <span>{covers === undefined ? 'all fields and links' : covers.join(', ')}</span>,
    <Instant at={decidedAt} />,
  ];
}

const decisionNames: Readonly<Record<string, string>> = {
  approve: 'approved',
  reject: 'declined',
  withdraw: 'taken back',
};

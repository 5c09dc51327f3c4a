import { type VNode } from 'preact';
import { type PastDecision } from '../../approvals/past-decisions.js';
import { Sayings, said } from '../parts/sayings.js';
import { Table } from '../parts/table.js';
import { Instant } from '../parts/time.js';
import { Somebody } from '../parts/value.js';
import { type TaskPageView } from './task-view.js';

/** Who decided what on actions that are done: what an auditor asks for. */
export function PastDecisions({ view }: { readonly view: TaskPageView }): VNode | null {
  const { to, pastDecisions } = view;
  if (pastDecisions.length === 0) return null;
  const words = to.words.approvals.past;
  return (
    <section id="past-decisions">
      <details class="history">
        <summary>
          <h2>{words.title}</h2>
        </summary>
        <p class="muted">{words.lead}</p>
        <Table
          caption={words.title}
          head={[words.action, words.group, words.who, words.what, words.about, words.when]}
          rows={pastDecisions.map((decision) => cellsOf(view, decision))}
        />
      </details>
    </section>
  );
}

function cellsOf({ to, scope }: TaskPageView, decision: PastDecision): VNode[] {
  const words = to.words.approvals;
  const { actionId, groupId, by, for: onBehalf, comment, via, covers, decidedAt } = decision;
  const action = scope.workflow.actions.find(({ id }) => id === actionId)?.name ?? actionId;
  const state = decision.hasCounted ? words.past.counted : words.past.notCounted;
  return [
    <span>{action}</span>,
    <span>{groupId ?? '–'}</span>,
    <>
      <Somebody email={by ?? '–'} to={to} />
      {onBehalf !== null && <p class="muted small">{words.insteadOf(onBehalf)}</p>}
      {via !== null && <p class="muted small">{via}</p>}
    </>,
    <>
      <strong>{words.decisions[decision.decision] ?? words.past.overridden}</strong>{' '}
      <span class="muted">{state}</span>
      {comment !== null && <p class="lines">{comment}</p>}
      {decision.because !== null && (
        <p class="muted small">
          <Sayings all={[said(decision.because)]} />
        </p>
      )}
    </>,
    <span>{covers === undefined ? words.past.all : covers.join(', ')}</span>,
    <Instant at={decidedAt} to={to} />,
  ];
}

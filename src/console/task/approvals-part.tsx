import { type VNode } from 'preact';
import { type PageApproval, type ShownDecision } from '../../approvals/approval.dto.js';
import { Badge } from '../parts/badge.js';
import { Faults, Form, FormKey, Hidden } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { Sayings, said } from '../parts/sayings.js';
import { Instant } from '../parts/time.js';
import { Somebody } from '../parts/value.js';
import { type TaskPageView } from './task-view.js';

/** Who must approve what can be done here, who has, and what has changed since. */
export function Approvals({ view }: { readonly view: TaskPageView }): VNode | null {
  const { approvals } = view;
  const wanted = approvals.filter(({ isOffered, needed }) => isOffered && needed > 0);
  if (wanted.length === 0) return null;
  const actions = new Map(wanted.map((each) => [each.action, each]));
  return (
    <section class="task-actions" id="approvals" aria-labelledby="approvals-name">
      <h2 id="approvals-name">Approvals</h2>
      {wanted.map((approval) => (
        <Group view={view} approval={approval} />
      ))}
      {view.mayOverride &&
        [...actions.values()]
          .filter(({ overridden, isComplete }) => !overridden && !isComplete)
          .map((approval) => <Override view={view} approval={approval} />)}
    </section>
  );
}

function Group({ view, approval }: GroupProps): VNode {
  const { action, id, actionName, needed, given, open, decisions, overridden, mayDecide, own, why } =
    approval;
  const name = `approval-${action}-${id}`;
  return (
    <article class="approval stack" aria-labelledby={name}>
      <h3 id={name}>
        {id}, for {actionName}
      </h3>
      <p>
        <StateOf approval={approval} />{' '}
        <span class="muted">
          {given} of {needed} approved
        </span>
      </p>
      <Faults id={`${name}-blocked`} messages={approval.isBlocked ? approval.unmet : []} />
      {overridden && (
        <p>
          Overridden by {overridden.by ?? '–'}: {overridden.reason}
        </p>
      )}
      {open.length > 0 && (
        <p class="muted small">
          Waits for{' '}
          {open.map((email, at) => (
            <>
              {at > 0 && ', '}
              <Somebody email={email} />
            </>
          ))}
        </p>
      )}
      {decisions.length > 0 && (
        <ul class="decisions stack">
          {decisions.map((decision) => (
            <li>
              <Decision decision={decision} />
            </li>
          ))}
        </ul>
      )}
      {mayDecide && own === null && <Decide view={view} approval={approval} name={name} />}
      {own !== null && (
        <Form action={`${view.path}/approvals`} class="inline" data-turbo-action="replace">
          <FormKey />
          <Hidden fields={{ action_id: action, id, decision: 'withdraw' }} />
          <button type="submit" class="quiet">
            Take back my decision
          </button>
        </Form>
      )}
      {!mayDecide && own === null && why !== null && (
        <p class="muted small">
          You cannot decide: <Sayings all={[said(why)]} />
        </p>
      )}
    </article>
  );
}

interface GroupProps {
  readonly view: TaskPageView;
  readonly approval: PageApproval;
}

function StateOf({ approval }: Pick<GroupProps, 'approval'>): VNode | null {
  const { isComplete, isRejected, overridden } = approval;
  if (isRejected) return <Badge tone="bad">Rejected</Badge>;
  return isComplete || overridden ? <Badge tone="good">Approved</Badge> : null;
}

function Decision({ decision }: DecisionProps): VNode {
  return (
    <>
      <Somebody email={decision.by ?? '–'} /> {decidedNames[decision.decision]}
      {decision.for !== null && <> for {decision.for}</>}{' '}
      <span class="muted">
        <Instant at={new Date(decision.at)} isShort />
      </span>
      {decision.comment !== null && <p class="lines">{decision.comment}</p>}
      {decision.state !== 'counts' && (
        <p class="fault">
          <Icon name="warning" />
          <span>
            {stateNames[decision.state]}
            {decision.because !== null && (
              <>
                : <Sayings all={[said(decision.because)]} />
              </>
            )}
          </span>
        </p>
      )}
    </>
  );
}

interface DecisionProps {
  readonly decision: ShownDecision;
}

function Decide({ view, approval, name }: GroupProps & { readonly name: string }): VNode {
  const { refusedDecision } = view;
  const { action, id, seen, onBehalfOf } = approval;
  const refused =
    refusedDecision?.action === action && refusedDecision.id === id ? refusedDecision : undefined;
  return (
    <Form
      action={`${view.path}/approvals`}
      class="decide stack"
      data-turbo-action="replace"
      aria-label="Decide"
    >
      <FormKey />
      <Hidden fields={{ action_id: action, id, seen }} />
      {onBehalfOf !== null && <p class="small">You decide for {onBehalfOf}, who is away.</p>}
      <label for={`${name}-comment`}>Comment</label>
      <textarea
        id={`${name}-comment`}
        name="comment"
        rows={2}
        maxLength={10_000}
        aria-describedby={`${name}-hint${refused ? ` ${name}-fault` : ''}`}
        {...(refused && { 'aria-invalid': true })}
      >
        {`\n${refused?.comment ?? ''}`}
      </textarea>
      <p class="muted small" id={`${name}-hint`}>
        Required for a rejection.
      </p>
      <Faults id={`${name}-fault`} messages={refused?.messages ?? []} />
      <div class="actions">
        <button type="submit" name="decision" value="approve" class="primary">
          Approve
        </button>
        <button type="submit" name="decision" value="reject" class="danger">
          Reject
        </button>
      </div>
    </Form>
  );
}

function Override({ view, approval: { action, actionName, seen } }: GroupProps): VNode {
  const { refusedDecision } = view;
  const id = `override-${action}`;
  const refused =
    refusedDecision?.action === action && refusedDecision.id === '' ? refusedDecision : undefined;
  return (
    <details open={refused !== undefined}>
      <summary>Override the approvals: {actionName}</summary>
      <Form action={`${view.path}/approvals/override`} class="decide stack" data-turbo-action="replace">
        <Hidden fields={{ action_id: action, seen }} />
        <p class="muted small">
          For administrators. It holds until the task changes, and is recorded in the history.
        </p>
        <label for={id}>Reason</label>
        <textarea
          id={id}
          name="reason"
          rows={2}
          maxLength={10_000}
          required
          {...(refused && { 'aria-invalid': true, 'aria-describedby': `${id}-fault` })}
        >
          {`\n${refused?.comment ?? ''}`}
        </textarea>
        <Faults id={`${id}-fault`} messages={refused?.messages ?? []} />
        <div class="actions">
          <button type="submit">Override the approvals</button>
        </div>
      </Form>
    </details>
  );
}

const decidedNames: Readonly<Record<string, string>> = {
  approve: 'approved',
  reject: 'rejected',
};

const stateNames: Readonly<Record<string, string>> = {
  stale: 'no longer counts',
  expired: 'expired',
  withdrawn: 'withdrawn',
  ineligible: 'does not count',
};

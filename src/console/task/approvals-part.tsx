import { type VNode } from 'preact';
import { type PageApproval, type ShownDecision } from '../../approvals/approval.dto.js';
import { Badge } from '../parts/badge.js';
import { Faults, useFault } from '../parts/fault.js';
import { Form, FormKey, Hidden } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { Sayings, said, useNamed } from '../parts/sayings.js';
import { useReader } from '../reader.js';
import { isOwnDecision, wantedApprovals } from './next-action.js';
import { Instant } from '../parts/time.js';
import { Somebody } from '../parts/value.js';
import { type TaskPageView } from './task-view.js';

/** What waits for the reader's own decision. */
export function Decisions({ view }: ApprovalsProps): VNode {
  return (
    <>
      {wantedApprovals(view)
        .filter(isOwnDecision)
        .map((approval) => (
          <Group view={view} approval={approval} />
        ))}
    </>
  );
}

/** What others must approve, or the reader has: who has, and what has changed since. */
export function Approvals({ view }: ApprovalsProps): VNode | null {
  const wanted = wantedApprovals(view);
  const others = wanted.filter((approval) => !isOwnDecision(approval));
  const overridable = view.mayOverride ? wanted.filter(({ overridden, isComplete }) => !overridden && !isComplete) : []; // prettier-ignore
  if (others.length + overridable.length === 0) return null;
  const actions = new Map(overridable.map((each) => [each.action, each]));
  return (
    <section class="task-actions" id="approvals" aria-labelledby="approvals-name">
      <h2 id="approvals-name">Approvals</h2>
      {others.map((approval) => (
        <Group view={view} approval={approval} />
      ))}
      {[...actions.values()].map((approval) => (
        <Override view={view} approval={approval} />
      ))}
    </section>
  );
}

interface ApprovalsProps {
  readonly view: TaskPageView;
}

function Group({ view, approval }: GroupProps): VNode {
  const { action, id, actionName, needed, given, open, decisions, overridden, own, why } = approval;
  const named = useNamed();
  const name = `approval-${action}-${id}`;
  const isOwn = isOwnDecision(approval);
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
          Overridden by {named(overridden.by ?? '–')}: {overridden.reason}
        </p>
      )}
      {isOwn && <Decide view={view} approval={approval} name={name} />}
      <WaitsFor emails={open} />
      {decisions.length > 0 && (
        <ul class="decisions stack">
          {decisions.map((decision) => (
            <li>
              <Decision decision={decision} />
            </li>
          ))}
        </ul>
      )}
      {own !== null && (
        <Form action={`${view.path}/approvals`} class="inline" data-turbo-action="replace">
          <FormKey />
          <Hidden fields={{ action_id: action, id, decision: 'withdraw' }} />
          <button type="submit" class="quiet">
            Take back my decision
          </button>
        </Form>
      )}
      {!isOwn && own === null && why !== null && (
        <p class="muted small">
          You cannot decide: <Sayings all={[said(why)]} />
        </p>
      )}
    </article>
  );
}

/** Whose decisions a group waits for, beside the reader's own. */
function WaitsFor({ emails }: { readonly emails: readonly string[] }): VNode | null {
  const { user } = useReader();
  const others = emails.filter((email) => email !== user.email);
  if (others.length === 0) return null;
  return (
    <p class="muted small">
      Waits for{' '}
      {others.map((email, at) => (
        <>
          {at > 0 && ', '}
          <Somebody email={email} />
        </>
      ))}
    </p>
  );
}

interface GroupProps {
  readonly view: TaskPageView;
  readonly approval: PageApproval;
}

function StateOf({ approval }: Pick<GroupProps, 'approval'>): VNode | null {
  const { isComplete, isRejected, overridden } = approval;
  if (isRejected) return <Badge tone="bad">Declined</Badge>;
  return isComplete || overridden ? <Badge tone="good">Approved</Badge> : null;
}

function Decision({ decision }: DecisionProps): VNode {
  const named = useNamed();
  return (
    <>
      <Somebody email={decision.by ?? '–'} /> {decidedNames[decision.decision]}
      {decision.for !== null && <> for {named(decision.for)}</>}{' '}
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
  const named = useNamed();
  const { action, id, seen, onBehalfOf } = approval;
  const refused =
    refusedDecision?.action === action && refusedDecision.id === id ? refusedDecision : undefined;
  const { attributes, fault } = useFault(`${name}-comment`, `${name}-hint`);
  return (
    <Form
      action={`${view.path}/approvals`}
      class="decide stack"
      data-turbo-action="replace"
      aria-label="Decide"
    >
      <FormKey />
      <Hidden fields={{ action_id: action, id, seen }} />
      {onBehalfOf !== null && <p class="small">You decide for {named(onBehalfOf)}, who is away.</p>}
      <label for={`${name}-comment`}>Comment</label>
      <textarea id={`${name}-comment`} name="comment" rows={2} maxLength={10_000} {...attributes}>
        {`\n${refused?.comment ?? ''}`}
      </textarea>
      <p class="muted small" id={`${name}-hint`}>
        Required to decline.
      </p>
      {fault}
      <div class="actions">
        <button type="submit" name="decision" value="approve" class="primary">
          Approve the {id}
        </button>
        <button type="submit" name="decision" value="reject" class="danger">
          Decline
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
  const { attributes, fault } = useFault(id);
  return (
    <details open={refused !== undefined}>
      <summary>Override the approvals: {actionName}</summary>
      <Form action={`${view.path}/approvals/override`} class="decide stack" data-turbo-action="replace">
        <Hidden fields={{ action_id: action, seen }} />
        <p class="muted small">
          For administrators. It holds until the task changes, and is recorded in the history.
        </p>
        <label for={id}>Reason</label>
        <textarea id={id} name="reason" rows={2} maxLength={10_000} required {...attributes}>
          {`\n${refused?.comment ?? ''}`}
        </textarea>
        {fault}
        <div class="actions">
          <button type="submit">Override the approvals</button>
        </div>
      </Form>
    </details>
  );
}

const decidedNames: Readonly<Record<string, string>> = {
  approve: 'approved',
  reject: 'declined',
};

const stateNames: Readonly<Record<string, string>> = {
  stale: 'no longer counts',
  expired: 'expired',
  withdrawn: 'withdrawn',
  ineligible: 'does not count',
};

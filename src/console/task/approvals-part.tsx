import { type VNode } from 'preact';
import { type PageApproval, type ShownDecision } from '../../approvals/approval.dto.js';
import { Badge } from '../parts/badge.js';
import { Faults, Form, FormKey, Hidden } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { Sayings, said } from '../parts/sayings.js';
import { Instant } from '../parts/time.js';
import { Somebody } from '../parts/value.js';
import { type SignedIn } from '../reader.js';
import { type TaskPageView } from './task-view.js';

/** Who must approve what can be done here, who has, and what has changed since. */
export function Approvals({ view }: { readonly view: TaskPageView }): VNode | null {
  const { approvals, to } = view;
  const wanted = approvals.filter(({ isOffered, needed }) => isOffered && needed > 0);
  if (wanted.length === 0) return null;
  const actions = new Map(wanted.map((each) => [each.action, each]));
  return (
    <section class="task-actions" id="approvals" aria-labelledby="approvals-name">
      <h2 id="approvals-name">{to.words.approvals.title}</h2>
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
  const { to } = view;
  const words = to.words.approvals;
  const { action, id, actionName, needed, given, open, decisions, overridden, mayDecide, own, why } =
    approval;
  const name = `approval-${action}-${id}`;
  return (
    <article class="approval stack" aria-labelledby={name}>
      <h3 id={name}>{words.of(id, actionName)}</h3>
      <p>
        <StateOf view={view} approval={approval} /> <span class="muted">{words.given(given, needed)}</span>
      </p>
      <Faults id={`${name}-blocked`} messages={approval.isBlocked ? approval.unmet : []} />
      {overridden && (
        <p>
          {words.overridden(overridden.by ?? '–')} {overridden.reason}
        </p>
      )}
      {open.length > 0 && (
        <p class="muted small">
          {words.waitsFor}{' '}
          {open.map((email, at) => (
            <>
              {at > 0 && ', '}
              <Somebody email={email} to={to} />
            </>
          ))}
        </p>
      )}
      {decisions.length > 0 && (
        <ul class="decisions stack">
          {decisions.map((decision) => (
            <li>
              <Decision to={to} decision={decision} />
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
            {words.withdraw}
          </button>
        </Form>
      )}
      {!mayDecide && own === null && why !== null && (
        <p class="muted small">
          {words.mayNot} <Sayings all={[said(why)]} />
        </p>
      )}
    </article>
  );
}

interface GroupProps {
  readonly view: TaskPageView;
  readonly approval: PageApproval;
}

function StateOf({ view, approval }: GroupProps): VNode | null {
  const { isComplete, isRejected, overridden } = approval;
  const words = view.to.words.approvals;
  if (isRejected) return <Badge tone="bad">{words.rejected}</Badge>;
  return isComplete || overridden ? <Badge tone="good">{words.complete}</Badge> : null;
}

function Decision({ to, decision }: DecisionProps): VNode {
  const words = to.words.approvals;
  return (
    <>
      <Somebody email={decision.by ?? '–'} to={to} /> {words.decided[decision.decision]}
      {decision.for !== null && <> {words.insteadOf(decision.for)}</>}{' '}
      <span class="muted">
        <Instant at={new Date(decision.at)} to={to} isShort />
      </span>
      {decision.comment !== null && <p class="lines">{decision.comment}</p>}
      {decision.state !== 'counts' && (
        <p class="fault">
          <Icon name="warning" />
          <span>
            {words.states[decision.state]}
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
  readonly to: SignedIn;
  readonly decision: ShownDecision;
}

function Decide({ view, approval, name }: GroupProps & { readonly name: string }): VNode {
  const { to, refusedDecision } = view;
  const words = to.words.approvals;
  const { action, id, seen, onBehalfOf } = approval;
  const refused =
    refusedDecision?.action === action && refusedDecision.id === id ? refusedDecision : undefined;
  return (
    <Form
      action={`${view.path}/approvals`}
      class="decide stack"
      data-turbo-action="replace"
      aria-label={words.decide}
    >
      <FormKey />
      <Hidden fields={{ action_id: action, id, seen }} />
      {onBehalfOf !== null && <p class="small">{words.decideFor(onBehalfOf)}</p>}
      <label for={`${name}-comment`}>{words.comment}</label>
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
        {words.commentHint}
      </p>
      <Faults id={`${name}-fault`} messages={refused?.messages ?? []} />
      <div class="actions">
        <button type="submit" name="decision" value="approve" class="primary">
          {words.approve}
        </button>
        <button type="submit" name="decision" value="reject" class="danger">
          {words.reject}
        </button>
      </div>
    </Form>
  );
}

function Override({ view, approval: { action, actionName, seen } }: GroupProps): VNode {
  const { to, refusedDecision } = view;
  const words = to.words.approvals;
  const id = `override-${action}`;
  const refused =
    refusedDecision?.action === action && refusedDecision.id === '' ? refusedDecision : undefined;
  return (
    <details open={refused !== undefined}>
      <summary>
        {words.override}: {actionName}
      </summary>
      <Form action={`${view.path}/approvals/override`} class="decide stack" data-turbo-action="replace">
        <Hidden fields={{ action_id: action, seen }} />
        <p class="muted small">{words.overrideLead}</p>
        <label for={id}>{words.reason}</label>
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
          <button type="submit">{words.override}</button>
        </div>
      </Form>
    </details>
  );
}

import { type VNode } from 'preact';
import { type PageApproval, type ShownDecision } from '../../approvals/approval.dto.js';
import { absenceOf } from '../parts/avatar.js';
import { Badge } from '../parts/badge.js';
import { Faults, Question } from '../parts/labelled.js';
import { ButtonForm, Form, FormKey, Hidden } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { type NamedControl } from '../parts/notices.js';
import { Sayings, useNamed } from '../parts/sayings.js';
import { isOwnDecision, rejectionsOf, wantedApprovals, useTask } from './task-view.js';
import { Instant } from '../parts/time.js';
import { Somebody } from '../parts/value.js';
import { type Message } from '../../common/message.js';
import { Table } from '../parts/table.js';
import { Section } from '../parts/section.js';

export function Decisions(): VNode {
  const view = useTask();
  return (
    <>
      {wantedApprovals(view)
        .filter(isOwnDecision)
        .map((approval) => (
          <Group approval={approval} />
        ))}
    </>
  );
}

/** The approvals that the reader may not decide, or has already decided. */
export function Approvals(): VNode | null {
  const others = wantedApprovals(useTask()).filter((approval) => !isOwnDecision(approval));
  if (others.length === 0) return null;
  return (
    <Section class="task-actions" id="approvals" title="Approvals">
      {others.map((approval) => (
        <Group approval={approval} />
      ))}
    </Section>
  );
}

function Group({ approval }: GroupProps): VNode {
  const { path, reader } = useTask();
  const { action, id, actionName, needed, given, decisions, own, isRejected } = approval;
  const name = `approval-${action}-${id}`;
  const declined = rejectionsOf(approval).flatMap((one) => [one.by, one.for]);
  const { users } = reader.workspace;
  const others = approval.open.filter((email) => email !== reader.user.email && !declined.includes(email));
  return (
    <article class="approval stack" aria-labelledby={name}>
      <h3 id={name}>
        Approval: {id} <span class="muted">for {actionName}</span>
      </h3>
      <p>
        {isRejected && <Badge tone="bad">Declined</Badge>}
        {!isRejected && approval.isComplete && <Badge tone="good">Approved</Badge>}{' '}
        <span class="muted">
          {given} of {needed} approved
        </span>
      </p>
      <Faults id={`${name}-blocked`} messages={approval.isBlocked ? approval.unmet : []} />
      {isOwnDecision(approval) && <Decide approval={approval} />}
      {others.length > 0 && (
        <p class="muted small">
          Waits for{' '}
          {others.map((email, at) => (
            <>
              {at > 0 && ', '}
              <Somebody email={email} />
              {absenceOf(reader, users.find(email))}
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
      {own === null ? (
        <Note text={approval.why} />
      ) : (
        <ButtonForm
          action={`${path}/approvals`}
          fields={{ action_id: action, id, decision: 'withdraw' }}
          look="quiet"
        >
          Take back my decision
        </ButtonForm>
      )}
    </article>
  );
}

interface GroupProps {
  readonly approval: PageApproval;
}

function Note({ text }: { readonly text: Message | null }): VNode | null {
  if (text === null) return null;
  return (
    <p class="muted small">
      <Sayings all={[text]} />
    </p>
  );
}

function Decision({ decision }: { readonly decision: ShownDecision }): VNode {
  const named = useNamed();
  const { by, comment, state, because } = decision;
  return (
    <>
      <Somebody email={by ?? '–'} /> {decisionNames[decision.decision]}
      {decision.for !== null && ` for ${named(decision.for)}`}{' '}
      <span class="muted">
        <Instant at={new Date(decision.at)} isShort />
      </span>
      {comment !== null && <p class="lines">{comment}</p>}
      {state !== 'counts' && (
        <p class="fault">
          <Icon name="warning" />
          <span>{[stateNames[state], ...(because === null ? [] : [named(because)])].join(': ')}</span>
        </p>
      )}
    </>
  );
}

function Decide({ approval }: GroupProps): VNode {
  const { path } = useTask();
  const named = useNamed();
  const { action, id, seen, onBehalfOf, why } = approval;
  return (
    <Form action={`${path}/approvals`} class="decide stack" aria-label="Decide">
      <FormKey />
      <Hidden fields={{ action_id: action, id, seen }} />
      {onBehalfOf !== null && <p class="small">You decide for {named(onBehalfOf)}, who is away.</p>}
      <Question {...decisionComment(action, id)} ask={words} value="" hint="Required to decline." />
      <div class="actions">
        {why === null && (
          <button type="submit" name="decision" value="approve" class="primary">
            Give approval
          </button>
        )}
        <button type="submit" name="decision" value="reject" class="danger">
          Decline
        </button>
      </div>
    </Form>
  );
}

const words = { by: 'lines', maxLength: 10_000 } as const;

export const decisionComment = (action: string, group: string): NamedControl => ({
  id: `approval-${action}-${group}-comment`,
  label: 'Comment',
  name: 'comment',
});

const stateNames: Readonly<Record<string, string>> = {
  stale: 'no longer counts',
  withdrawn: 'withdrawn',
  ineligible: 'does not count',
};

/** For audits: the decisions on past actions, and the decisions that a later decision has replaced. */
export function PastDecisions(): VNode | null {
  const { pastDecisions, scope } = useTask();
  const named = useNamed();
  if (pastDecisions.length === 0) return null;
  const { actions } = scope.workflow;
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
          rows={pastDecisions.map(({ actionId, groupId, ...past }) => [
            actions.find(({ id }) => id === actionId)?.name ?? actionId,
            groupId,
            <>
              <Somebody email={past.by ?? '–'} />
              <Note text={past.for && `for ${named(past.for)}`} />
              <Note text={past.via} />
            </>,
            <>
              <strong>{decisionNames[past.decision]}</strong>{' '}
              <span class="muted">{past.hasCounted ? 'counted' : 'did not count'}</span>
              {past.comment !== null && <p class="lines">{past.comment}</p>}
              <Note text={past.because} />
            </>,
            past.covers?.join(', ') ?? 'all fields and links',
            <Instant at={past.decidedAt} />,
          ])}
        />
      </details>
    </section>
  );
}

const decisionNames: Readonly<Record<string, string>> = {
  approve: 'approved',
  reject: 'declined',
  withdraw: 'taken back',
};

import { type Message, say } from '../../common/message.js';
import { type VNode } from 'preact';
import { type ExplainedAction } from '../../actions/actions.service.js';
import { Dialog, Opener } from '../parts/dialog.js';
import { ButtonForm } from '../parts/form.js';
import { useNamed, Sayings } from '../parts/sayings.js';
import { Icon } from '../parts/icon.js';
import { AskedFields, givenForm } from './asked-part.js';
import { Decisions } from './approvals-part.js';
import {
  actionsHere,
  adminPathOf,
  NEXT,
  nextOf,
  isMissing,
  isOwnDecision,
  rejectionsOf,
  wantedApprovals,
  useTask,
  editPath,
  placeOfTask,
  type TaskPageView,
} from './task-view.js';
import { questionsOf } from '../task-shown.js';
import { type Unmet } from '../../actions/requirement.js';
import { itemsOfStage } from './checklist-part.js';
import { isOpenItem } from '../../common/column-values.js';
import { type ShownExecution } from '../../executions/execution.dto.js';
import { Instant } from '../parts/time.js';
import { Section } from '../parts/section.js';

/** The last failure, the decisions that wait for the reader, and the next action of the stage. */
export function NextAction(): VNode | null {
  const view = useTask();
  const { actions } = view;
  const named = useNamed();
  if (actions.length === 0) return null;
  const next = nextOf(view);
  return (
    <Section class="task-actions" id={NEXT} title="Next" data-said={next && saidOfAction(next, named)}>
      <LastFailure />
      <Decisions />
      {next ? (
        <Offered explained={next} look="primary" />
      ) : (
        <p class="muted">There are no actions in this stage.</p>
      )}
    </Section>
  );
}

/** The actions of the stage except the next one, with the reasons why some are unavailable. */
export function OtherActions(): VNode | null {
  const view = useTask();
  const next = nextOf(view);
  const others = actionsHere(view).filter((each) => each !== next);
  if (others.length === 0) return null;
  return (
    <Section class="task-actions" id="task-actions" title="Other actions">
      {others.map((explained) => (
        <Offered explained={explained} look="" />
      ))}
    </Section>
  );
}

function saidOfAction({ action, unmet }: ExplainedAction, named: (message: Message) => string): string {
  const reasons = unmet.map(({ message }) => named(message)).join(', ');
  return unmet.length === 0 ? `${action.name} is possible now` : `${action.name} needs: ${reasons}`;
}

function Offered({ explained, look }: OfferedProps): VNode {
  const { action } = explained;
  // Shows one line for all missing approvals, because the section of approvals lists them.
  const [, ...further] = explained.unmet.filter(({ isOfApprovals }) => isOfApprovals);
  const unmet = explained.unmet.filter((reason) => !further.includes(reason));
  if (unmet.length === 0) return <Possible explained={explained} look={look} />;
  return (
    <div class="impossible">
      <p class="impossible-name">
        <Icon name="lock" />
        <span>
          {action.name} <span class="visually-hidden">(not possible yet)</span>
        </span>
      </p>
      <ul>
        {unmet.map((reason) => (
          <Reason reason={reason} action={action.id} />
        ))}
      </ul>
    </div>
  );
}

interface OfferedProps {
  readonly explained: ExplainedAction;
  readonly look: string;
}

function Possible({ explained, look }: OfferedProps): VNode {
  const { path, confirm, scope } = useTask();
  const { action } = explained;
  const at = `${path}/actions/${encodeURIComponent(action.id)}`;
  const [question] = questionsOf(scope.workflow, action);
  const dialog = `confirm-${action.id}`;
  const isAsking = action.asked.length > 0;
  const steps = <Steps explained={explained} />;
  const start = isAsking ? (
    <button type="submit" class="primary" form={givenForm(action.id)}>
      {action.name}
    </button>
  ) : (
    <ButtonForm action={at} look={question === undefined ? look : 'primary'} isFirst={question !== undefined}>
      {action.name}
    </ButtonForm>
  );
  return (
    <div class="possible stack">
      {question === undefined && !isAsking ? (
        start
      ) : (
        <>
          <Opener dialog={dialog} look={look}>
            {action.name}…
          </Opener>
          <Dialog id={dialog} title={question ?? action.name} isOpen={confirm === action.id} answer={start}>
            {steps}
            {isAsking && <AskedFields action={action} at={at} />}
          </Dialog>
        </>
      )}
      {steps}
    </div>
  );
}

function Steps({ explained: { action } }: Pick<OfferedProps, 'explained'>): VNode | null {
  const names = action.steps.map(({ name }) => name).join(', ');
  return names === '' ? null : <p class="muted small">{names}.</p>;
}

/** An unmet requirement of an action, with a link to the part of the page where users can meet it. */
function Reason({ reason, action }: { readonly reason: Unmet; readonly action: string }): VNode {
  const view = useTask();
  const text = useNamed()(reason.isOfApprovals ? whyNotApproved(view, action) : reason.message);
  const [href, frame] = placeOf(view, reason);
  const items = itemsOfStage(view);
  return (
    <li>
      {href === undefined ? (
        <span>{text}</span>
      ) : (
        <a href={href} data-turbo-frame={frame}>
          {text}
        </a>
      )}
      {reason.isOfChecklist && (
        <span class="count">{` ${items.length - items.filter(({ status }) => isOpenItem(status)).length} of ${items.length} done`}</span>
      )}
    </li>
  );
}

function whyNotApproved(view: TaskPageView, action: string): Message {
  const rejections = wantedApprovals(view)
    .filter((one) => one.action === action)
    .flatMap(rejectionsOf);
  const who = [...new Set(rejections.map(({ by }) => by ?? '–'))].join(', ');
  return who === '' ? 'Approvals are missing' : say`Approvals are missing: ${who} declined`;
}

/** Returns the link to the part of the page where users can meet a requirement, and the frame to load. */
function placeOf(view: TaskPageView, reason: Unmet): [href?: string, frame?: string] {
  const property = view.scope.workflow.schema.byName.get(reason.about ?? '');
  if (reason.isOfChecklist) return ['#checklist'];
  if (reason.isOfApprovals) return [wantedApprovals(view).every(isOwnDecision) ? `#${NEXT}` : '#approvals'];
  if (!property) return [];
  const place = placeOfTask(property);
  if (property.links) return [`#${place}`];
  if (property.files) return [`#${place}-file`];
  return isMissing(view, property) ? [`#${place}-value`] : [editPath(view, property), place];
}

/**
 * Shows the failure of the last execution, if the stage still offers the failed action. Shows nothing if the
 * notice already reports the failure.
 */
function LastFailure(): VNode | null {
  const view = useTask();
  const { executions, execution } = view;
  const [last] = executions;
  if (!last || last.id === execution || !isOpenFailure(view, last)) return null;
  return (
    <div class="last-failure stack gap-1">
      <p class="fault">
        <Icon name="warning" />
        <span>
          {last.action?.name ?? ''} failed{' '}
          {last.finished != null && <Instant at={new Date(last.finished)} isShort />}
        </span>
      </p>
      <Sayings all={last.errors ?? []} />
      <WhyFailed execution={last.id} />
    </div>
  );
}

/** A cancelled execution has the status `Fail`, but did not fail. */
function isOpenFailure(view: TaskPageView, { status, action, errors = [] }: ShownExecution): boolean {
  const isCancelled = errors.includes('was cancelled');
  return status === 'Fail' && !isCancelled && actionsHere(view).some((each) => each.action.id === action?.id);
}

/** A link for administrators to the steps of the execution, where they can try again. */
export function WhyFailed({ execution }: { readonly execution: string }): VNode | null {
  const path = adminPathOf(useTask(), execution);
  return path === undefined ? null : <a href={path}>See why, and try again</a>;
}

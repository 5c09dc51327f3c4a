import { useReader } from '../reader.js';
import { en } from './words.js';
import { type VNode } from 'preact';
import { type StepOutcome } from '../../actions/step.js';
import { type WatchedExecution, type WholeExecution } from '../../executions/executions-overview.js';
import { answeredAs } from '../../executions/step-outcomes.js';
import { failureKindOf } from '../../executions/failure-kind.js';
import { type Workflow } from '../../workspace/workspace.js';
import { Dialog, opens } from '../parts/dialog.js';
import { ButtonForm } from '../parts/form.js';
import { Icon, type IconName } from '../parts/icon.js';
import { Sayings, said } from '../parts/sayings.js';
import { Instant } from '../parts/time.js';
import { taskPath } from '../task-shown.js';
import { type Notice } from '../parts/notices.js';
import { AdminRows } from './admin-list.js';
import { DetailPage, type FactRow, Facts, Section } from './admin-page.js';
import { type Administrator } from './admin-pages.js';
import { Beginner, ExecutionBadge, executionPath, executionRow, taskName } from './executions-page.js';
import { english, messageOfText } from '../../lib/message.js';

/** Whether an execution can be begun again, and if it has failed and cannot, why. */
export type Retry =
  | { readonly can: false; readonly why?: 'deleted' | 'unnamed' | 'action' }
  | {
      readonly can: true;
      readonly uniqueId: string;
      /** What people are asked before the action begins. */
      readonly questions: readonly string[];
      /** Tells the form from others, so that it counts once. */
      readonly once: string;
    };

interface ExecutionView {
  readonly reader: Administrator;
  readonly execution: WholeExecution;
  readonly workflow: Workflow;
  /** Executions of the same task, with this one. */
  readonly others: readonly WatchedExecution[];
  readonly retry: Retry;
  /** Whether the page asks if it is to be tried again. */
  readonly isAsking: boolean;
  readonly notice: Notice | undefined;
  /** Where the browser hears of its end. */
  readonly live: string | undefined;
}

/** An execution: what became of it and why, what can be done about that, and what it did step by step. */
export function ExecutionPage(view: ExecutionView): VNode {
  const reader = useReader();
  const { execution, others, notice, live } = view;
  const { admin } = en;
  const words = admin.execution;
  const { status } = execution;
  return (
    <DetailPage
      title={execution.actionName}
      badge={<ExecutionBadge execution={execution} />}
      lead={
        <>
          {words.on} <TaskLink {...view} /> · <Instant at={execution.createdAt} isShort />
        </>
      }
      above={{ href: '/admin/executions', name: admin.executions }}
      notice={notice}
      live={live}
    >
      {status === 'Fail' && <Why {...view} />}
      <Can {...view} />
      <Steps {...view} />
      <Details {...view} />
      {others.length > 1 && (
        <Section id="others" title={words.others}>
          <AdminRows
            things={others}
            row={(other) => ({ ...executionRow(reader, other), isHere: other.id === execution.id })}
          />
        </Section>
      )}
    </DetailPage>
  );
}

function TaskLink({ execution, workflow }: ExecutionView): VNode {
  const reader = useReader();
  const name = taskName(reader, execution);
  return execution.task ? <a href={taskPath(workflow, execution.task)}>{name}</a> : <span>{name}</span>;
}

/** What stood in the way, in words, and what to do about it. */
function Why({ execution }: ExecutionView): VNode {
  const words = en.admin.execution;
  const { errors, isCancelled } = execution;
  const told = toldSteps(execution);
  const hints = new Set(
    (errors ?? []).map((error) => words.hints[failureKindOf(english(messageOfText(error)))]),
  );
  return (
    <section class={isCancelled ? 'why stack plain' : 'why stack'} aria-labelledby="why">
      <h2 id="why">{isCancelled ? words.cancelled : words.why}</h2>
      {!isCancelled && (
        <ul class="why-errors">
          {(errors ?? []).map((error) => (
            <li>
              <Sayings all={[said(messageOfText(error))]} />
            </li>
          ))}
        </ul>
      )}
      <p>{[...hints, isCancelled ? '' : words.unchanged, told === '' ? '' : words.told(told)].join(' ')}</p>
    </section>
  );
}

/** The names of the calls that were answered before it failed: nobody can take them back. */
function toldSteps({ steps, answers }: WholeExecution): string {
  return steps
    .filter((_, at) => answers[at] && answeredAs(answers[at]).status === 'Success')
    .map(({ name }) => name)
    .join(', ');
}

/** What can be done now. */
function Can(view: ExecutionView): VNode {
  const { execution, workflow, retry } = view;
  const words = en.admin.execution;
  return (
    <>
      <div class="actions">
        {retry.can && <TryAgain {...view} retry={retry} />}
        {execution.isWaiting && (
          <ButtonForm action={`${executionPath(execution)}/cancel`} look="danger">
            {en.cancel}
          </ButtonForm>
        )}
        {execution.task && (
          <a class="button" href={taskPath(workflow, execution.task)}>
            {en.deletion.open}
          </a>
        )}
      </div>
      {!retry.can && retry.why && <p class="muted">{words.cannot[retry.why]}</p>}
    </>
  );
}

type TryProps = ExecutionView & { readonly retry: Retry & { readonly can: true } };

/** The button, behind a question where there is something to be thought of first. */
function TryAgain({ execution, retry, isAsking }: TryProps): VNode {
  const words = en.admin.execution;
  const path = executionPath(execution);
  const told = toldSteps(execution);
  const button = (
    <ButtonForm action={`${path}/retry`} look="primary" fields={{ once: retry.once }}>
      {words.retry}
    </ButtonForm>
  );
  if (told === '' && retry.questions.length === 0) return button;
  return (
    <>
      <a class="button primary" href={`${path}?retry`} {...opens('retry')}>
        {words.retry}…
      </a>
      <Dialog
        id="retry"
        title={words.retryTitle(execution.actionName)}
        isOpen={isAsking}
        back={path}
        answer={button}
      >
        {retry.questions.map((question) => (
          <p>{question}</p>
        ))}
        {told !== '' && <p>{words.retryTold(told)}</p>}
        <p class="muted">{words.asYou}</p>
      </Dialog>
    </>
  );
}

const stepIcons: Readonly<Record<StepStatus, IconName>> = {
  Success: 'check',
  Queued: 'clock',
  Undone: 'dash',
  Fail: 'cross',
  Skipped: 'dash',
  Pending: 'clock',
};

type StepStatus = StepOutcome['status'] | 'Pending';

type StepState = Pick<StepOutcome, 'because'> & { readonly status: StepStatus };

function Steps({ execution }: ExecutionView): VNode {
  const words = en.admin.execution;
  const { steps, outcomes, answers } = execution;
  const outcomeAt = (at: number): StepState =>
    outcomes[at] ?? (answers[at] ? answeredAs(answers[at]) : { status: 'Pending' });
  return (
    <Section id="steps" title={words.steps}>
      {steps.length === 0 && <p class="muted">{words.noSteps}</p>}
      <ol class="steps">
        {steps.map(({ name }, at) => {
          const { status, because } = outcomeAt(at);
          return (
            <li class={`step ${status.toLowerCase()}`}>
              <span class="step-mark">
                <Icon name={stepIcons[status]} />
              </span>
              <span>{name}</span>
              <span class="muted">{words.step[because === 'when' ? because : status]}</span>
              {status !== 'Skipped' && because !== undefined && <Sayings all={[said(because)]} />}
            </li>
          );
        })}
      </ol>
    </Section>
  );
}

function Details(view: ExecutionView): VNode {
  const reader = useReader();
  const { execution, workflow } = view;
  const { locale } = reader;
  const words = en.admin.execution;
  const { createdAt, startedAt, finishedAt, definition, id } = execution;
  const seconds = startedAt && finishedAt ? (finishedAt.getTime() - startedAt.getTime()) / 1000 : undefined;
  const rows: FactRow[] = [
    [words.workflow, workflow.name],
    [en.list.task, <TaskLink {...view} />],
    [words.begunBy, <Beginner execution={execution} />],
    [words.asked, <Instant at={createdAt} />],
    [words.begun, startedAt && <Instant at={startedAt} />],
    [words.ended, finishedAt && <Instant at={finishedAt} />],
    [
      words.took,
      seconds !== undefined && `${seconds.toLocaleString(locale, { maximumFractionDigits: 2 })} s`,
    ],
    [
      en.admin.definition,
      reader.administers?.isWhole ? (
        <a href={`/admin/definition/versions/${definition}`}>{words.versionOf(definition)}</a>
      ) : (
        words.versionOf(definition)
      ),
    ],
    [words.id, <code>{id}</code>],
  ];
  return (
    <Section id="details" title={words.details}>
      <Facts rows={rows} />
    </Section>
  );
}

import { type VNode } from 'preact';
import { type StepOutcome } from '../../actions/step.js';
import { executionStatuses } from '../../common/column-values.js';
import { messageOfText } from '../../common/message.js';
import {
  ExecutionsOverview,
  type SeenExecution,
  type WatchedExecution,
  type WholeExecution,
} from '../../executions/executions-overview.js';
import { ExecutionsService } from '../../executions/executions.service.js';
import { readerScope } from '../console-controller.js';
import { Badge, StateBadge, stateName } from '../parts/badge.js';
import { Icon, type IconName } from '../parts/icon.js';
import { Sayings } from '../parts/sayings.js';
import { Instant } from '../parts/time.js';
import { Somebody } from '../parts/value.js';
import { Section } from '../parts/section.js';
import { useReader } from '../reader.js';
import { taskPath } from '../task-shown.js';
import { administeredBy, type Administrator, type AdminLine, type AdminOperation, adminPath, type AdminPage, type AdminRequest, type ThingPage } from './admin-page.js'; // prettier-ignore
import { Facts } from './facts.js';

export const executionsPage: AdminPage = {
  path: 'executions',
  one: 'execution',
  title: 'Executions',
  icon: 'history',
  live: { of: 'executions' },
  empty: ['No executions yet', 'Each action that is performed on a task appears here.'],
  filters: (reader) => [
    { name: 'workflow', label: 'Workflow', options: administeredBy(reader).map(({ slug, name }) => [slug, name]) }, // prettier-ignore
    { name: 'status', label: 'Status', options: executionStatuses.map((one) => [one, stateName(one)]) },
  ],
  above: setAside,
  async read({ reader, get }, { workflow, status, after }) {
    const { shown, next } = await get(ExecutionsOverview).list(reader, {
      workflow: administeredBy(reader).find(({ slug }) => slug === workflow),
      status: executionStatuses.find((one) => one === status),
      after,
    });
    return { lines: shown.map((execution) => executionLine(reader, execution)), next };
  },
  async open([id = ''], asked) {
    const seen = await asked.get(ExecutionsOverview).find(asked.reader, id);
    return seen && { page: executionPage(seen, asked.reader), operations: operationsOn(seen, asked) };
  },
};

export const executionPath = (id: string): string => adminPath('executions', id);

function operationsOn(seen: SeenExecution, { reader, request, get }: AdminRequest) {
  const { execution, workflow, retry } = seen;
  const scope = readerScope(reader, request, workflow);
  return {
    retry: retry.task !== undefined && {
      title: 'Try again',
      look: 'primary',
      asks: questionBefore(seen),
      /** Starts the same action on the same task again, as the signed-in user. */
      async run({ key }) {
        const payload = new Map([['task_id', retry.task ?? ''], ['action_id', execution.actionId]]); // prettier-ignore
        const options = { idempotencyKey: key, isForm: true, waitMs: 1000, again: execution };
        const { id } = await get(ExecutionsService).start(scope, payload, options);
        return { key: [id] };
      },
    },
    cancel: execution.isWaiting && {
      title: 'Cancel',
      look: 'danger',
      run: async () => get(ExecutionsService).cancel(scope, execution.id),
    },
  } satisfies Record<string, AdminOperation | false>;
}

/**
 * Reports the events that a part of the service could not process. Administrators of single workflows do not
 * see the report, because they cannot fix the cause.
 */
async function setAside({ reader, get }: AdminRequest): Promise<VNode[]> {
  const found = reader.administers.isWhole
    ? await get(ExecutionsOverview).eventsSetAside(reader.workspace)
    : [];
  return found.map(({ follower, count, cause }) => (
    <p class="notice bad">
      {`${follower}: ${count === 1 ? '1 event could' : `${count} events could`} not be processed and ${count === 1 ? 'was' : 'were'} set aside (${cause}).`}
    </p>
  ));
}

function executionLine(reader: Administrator, execution: WatchedExecution): AdminLine {
  const { id, actionName, errors, workflowId, createdAt } = execution;
  return {
    href: executionPath(id),
    state: <ExecutionBadge {...execution} />,
    title: (
      <>
        {actionName} <span class="muted">{taskName(execution)}</span>
      </>
    ),
    under: errors && (
      <span class="late">
        <Sayings all={errors.map(messageOfText)} />
      </span>
    ),
    asides: [
      <span class="muted">{reader.workflows.find((workflow) => workflow.id === workflowId)?.name}</span>,
      <Beginner {...execution} />,
    ],
    due: <Instant at={createdAt} isShort />,
  };
}

function taskName({ task }: WatchedExecution): string {
  return task ? (task.uniqueValue ?? 'a task without a name') : 'a task that was deleted';
}

const ExecutionBadge = ({ status, isCancelled }: Pick<WatchedExecution, 'status' | 'isCancelled'>): VNode =>
  isCancelled ? <Badge>Cancelled</Badge> : <StateBadge state={status} />;

/** Shows the performer of an execution, else the key that started the execution, else “Automation”. */
function Beginner({ performerId, keyName }: WatchedExecution): VNode {
  const reader = useReader();
  const user = performerId === null ? undefined : reader.workspace.users.get(performerId);
  if (user) return <Somebody email={user.email} />;
  return <span class="muted">{keyName === undefined ? 'Automation' : `API (${keyName})`}</span>;
}

function executionPage({ execution, workflow, retry }: SeenExecution, reader: Administrator): ThingPage {
  const { id, actionName, status, createdAt, startedAt, finishedAt, definition, task } = execution;
  const version = `Version ${definition}`;
  const name = taskName(execution);
  return {
    title: actionName,
    badge: <ExecutionBadge {...execution} />,
    lead: (
      <>
        on {task ? <a href={taskPath(workflow, task)}>{name}</a> : <span>{name}</span>} ·{' '}
        <Instant at={createdAt} isShort />
      </>
    ),
    live: status === 'Pending' ? { of: 'executions' } : undefined,
    content: (
      <>
        {status === 'Fail' && <Why execution={execution} retry={retry} />}
        <Facts
          rows={[
            ['Workflow', workflow.name],
            ['Started by', <Beginner {...execution} />],
            ['Started', startedAt && <Instant at={startedAt} />],
            ['Finished', finishedAt && <Instant at={finishedAt} />],
            ['Definition', reader.administers.isWhole ? <a href={adminPath('definition', 'versions', String(definition))}>{version}</a> : version], // prettier-ignore
            ['ID', <code>{id}</code>],
          ]}
        />
        <Steps execution={execution} />
      </>
    ),
  };
}

/** Why the execution failed, and whether the action can be tried again. */
function Why({ execution, retry }: Pick<SeenExecution, 'execution' | 'retry'>): VNode {
  const calls = callsOf(execution);
  return (
    <Section id="why" title="Why it failed" class="why">
      <ul class="why-errors">
        {(execution.errors ?? []).map((error) => (
          <li>
            <Sayings all={[messageOfText(error)]} />
          </li>
        ))}
      </ul>
      <p>
        The task was not changed.
        {calls !== '' && ` Other systems were already called: ${calls}.`}
        {retry.cannot !== undefined && ` The action cannot be tried again: ${retry.cannot}.`}
      </p>
    </Section>
  );
}

/** The names of the calls that got a response. These calls cannot be undone. */
function callsOf({ steps, answers }: WholeExecution): string {
  const answered = steps.filter((_, at) => answers[at]);
  return answered.map(({ name }) => name).join(', ');
}

function questionBefore({ execution, retry }: SeenExecution): AdminOperation['asks'] {
  const calls = callsOf(execution);
  if (calls === '' && retry.questions.length === 0) return undefined;
  return {
    title: `Try “${execution.actionName}” again?`,
    text: (
      <>
        {retry.questions.map((question) => (
          <p>{question}</p>
        ))}
        {calls !== '' && <p>{`These calls are repeated: ${calls}. Make sure that nothing is done twice.`}</p>}
        <p class="muted">The action starts again in your name, under the current definition.</p>
      </>
    ),
  };
}

type StepState = Pick<StepOutcome, 'because'> & { readonly status: StepOutcome['status'] | 'Pending' };

const stepStates: Readonly<Record<StepState['status'], readonly [icon: IconName, text: string]>> = {
  Success: ['check', 'done'],
  Queued: ['time', 'queued to be sent'],
  Undone: ['dash', 'undone'],
  Fail: ['cross', 'failed'],
  Skipped: ['dash', 'not started'],
  Pending: ['time', 'not done yet'],
};

function Steps({ execution: { steps, outcomes, answers } }: Pick<SeenExecution, 'execution'>): VNode {
  const stateAt = (at: number): StepState => outcomes[at] ?? { status: answers[at] ? 'Success' : 'Pending' };
  return (
    <Section id="steps" title="Steps">
      {steps.length === 0 && <p class="muted">The action has no steps.</p>}
      <ol>
        {steps.map(({ name }, at) => {
          const { status, because } = stateAt(at);
          const [icon, text] = stepStates[status];
          return (
            <li class={`step ${status.toLowerCase()}`}>
              <span class="step-mark">
                <Icon name={icon} />
              </span>
              <span>{name}</span>
              <span class="muted">
                {because === 'when' ? 'skipped, because its condition was not met' : text}
              </span>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}

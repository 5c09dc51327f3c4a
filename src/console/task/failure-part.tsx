import { type SignedIn, useReader } from '../reader.js';
import { type VNode } from 'preact';
import { isAvailable } from '../../actions/action.js';
import { type ShownExecution } from '../../executions/execution.dto.js';
import { failureKindOf } from '../../executions/failure-kind.js';
import { executionPath } from '../admin/executions-page.js';
import { Icon } from '../parts/icon.js';
import { said, Sayings } from '../parts/sayings.js';
import { Instant } from '../parts/time.js';
import { type HistoryView, type TaskPageView, useTask } from './task-view.js';

/** What was tried last, while it failed and is still to be done: also for who comes later. */
export function LastFailure(): VNode | null {
  const view = useTask();
  const { executions, notice } = view;
  const [last] = executions;
  if (!last || last.id === notice?.execution || !isOpenFailure(view, last)) return null;
  return (
    <div class="last-failure stack gap-1">
      <p class="fault">
        <Icon name="warning" />
        <span>
          {last.action?.name ?? ''} failed{' '}
          {last.finished != null && <Instant at={new Date(last.finished)} isShort />}
        </span>
      </p>
      <Sayings all={(last.errors ?? []).map(said)} />
      <WhyFailed execution={last.id} />
    </div>
  );
}

/** One that was cancelled did not fail. */
function isOpenFailure({ actions, scope, task }: TaskPageView, last: ShownExecution): boolean {
  const stage = scope.workflow.schema.stages.get(task.stageId).name;
  const isCancelled = (last.errors ?? []).some((error) => failureKindOf(error) === 'cancelled');
  const isHere = actions.some(({ action }) => action.id === last.action?.id && isAvailable(action, stage));
  return last.status === 'Fail' && !isCancelled && isHere;
}

/** For who administers the workflow: the way to what went wrong, step by step, and to another try. */
export function WhyFailed({ execution }: { readonly execution: string }): VNode | null {
  const path = adminPathOf(useReader(), useTask(), execution);
  return path === undefined ? null : <a href={path}>See why, and try again</a>;
}

/** Where who administers the workflow finds an execution; undefined for others. */
export function adminPathOf(reader: SignedIn, { scope }: HistoryView, execution: string): string | undefined {
  const isAdministered = reader.administers?.workflowIds.includes(scope.workflow.id) === true;
  return isAdministered ? executionPath(execution) : undefined;
}

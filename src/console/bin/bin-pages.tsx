import { type VNode } from 'preact';
import { type DeletedTask, type Restored } from '../../tasks/bin/bin.service.js';
import { type Scope } from '../../workspace/scope.js';
import { boardPath } from '../board/addresses.js';
import { ConsolePage } from '../layout.js';
import { Empty } from '../parts/empty.js';
import { ButtonForm } from '../parts/form.js';
import { type Notice } from '../parts/notices.js';
import { type SignedIn } from '../reader.js';
import { calledIn, taskPath } from '../task-shown.js';

interface BinPageProps {
  readonly to: SignedIn;
  readonly scope: Scope;
}

/** Says that a task is deleted, and leads back. */
export function DeletedPage({ to, scope, deleted, notice }: DeletedProps): VNode {
  const { bin } = to.words;
  const title = bin.deleted(calledIn(scope.workflow, deleted.task));
  return (
    <ConsolePage to={to} title={title} notice={notice}>
      <Empty icon="trash" title={title} isPage>
        {bin.deletedMore}
        <div class="actions">
          <RestoreButton to={to} scope={scope} deleted={deleted} look="" />
          <BoardLink scope={scope} />
        </div>
      </Empty>
    </ConsolePage>
  );
}

interface DeletedProps extends BinPageProps {
  readonly deleted: DeletedTask;
  readonly notice?: Notice | undefined;
}

/** Says what has not come back with a task. */
export function PartlyRestoredPage({ to, scope, restored: { task, left } }: RestoredProps): VNode {
  const { bin } = to.words;
  const title = bin.restored(calledIn(scope.workflow, task));
  return (
    <ConsolePage
      to={to}
      title={title}
      notice={{ tone: 'waiting', lines: [{ text: bin.left(left.join(', ')) }] }}
    >
      <Empty icon="history" title={title} isPage>
        {bin.leftMore}
        <div class="actions">
          <a class="button primary" href={taskPath(scope.workflow, task)}>
            {bin.open}
          </a>
          <BoardLink scope={scope} />
        </div>
      </Empty>
    </ConsolePage>
  );
}

interface RestoredProps extends BinPageProps {
  readonly restored: Restored;
}

function BoardLink({ scope: { workflow } }: Pick<BinPageProps, 'scope'>): VNode {
  return (
    <a class="button" href={boardPath(workflow, new URLSearchParams())}>
      {workflow.name}
    </a>
  );
}

/** The button that restores a task. */
export function RestoreButton({ to, scope, deleted, look }: RestoreProps): VNode {
  const { bin } = to.words;
  const path = `${taskPath(scope.workflow, deleted.task)}/restore`;
  return (
    <ButtonForm action={path} look={look} label={bin.restoreOf(calledIn(scope.workflow, deleted.task))}>
      {bin.restore}
    </ButtonForm>
  );
}

interface RestoreProps extends BinPageProps {
  readonly deleted: DeletedTask;
  /** Classes of the button. */
  readonly look: string;
}

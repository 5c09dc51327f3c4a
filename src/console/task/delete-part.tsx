import { type VNode } from 'preact';
import { type TaskRow, stateOfTask } from '../../tasks/store/task-row.js';
import { titleOf } from '../../workflows/fields/serialize-task.js';
import { mayDelete } from '../../workflows/model/allowed.js';
import { type Scope } from '../../workflows/model/scope.js';
import { ConsolePage } from '../layout.js';
import { Dialog, opens } from '../parts/dialog.js';
import { Form, Hidden } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { taskPath } from '../task-shown.js';
import { useTask } from './task-view.js';

interface DeleteProps {
  readonly scope: Scope;
  readonly task: TaskRow;
}

/** Whether the reader may delete the task in its present stage. */
export const isDeletable = ({ scope, task }: DeleteProps): boolean =>
  mayDelete(scope, task) && !scope.workflow.schema.locks.own.has(task.stageId);

/** The link to delete a task, for roles that may delete it and if its stage allows it; a dialog asks first. */
export function DeletePart(): VNode | null {
  const { scope, task } = useTask();
  if (!isDeletable({ scope, task })) return null;
  return (
    <div class="delete">
      <a class="button quiet" href={`${taskPath(scope.workflow, task)}/delete`} {...opens('delete-task')}>
        <Icon name="trash" /> Delete this task…
      </a>
      <DeleteDialog scope={scope} task={task} isOpen={false} />
    </div>
  );
}

/** The question of the dialog as a page, for browsers without JavaScript. */
export function DeletePage(view: DeleteProps): VNode {
  return (
    <ConsolePage title="Delete this task…">
      <DeleteDialog {...view} isOpen />
    </ConsolePage>
  );
}

function DeleteDialog({ scope, task, isOpen }: DeleteProps & { readonly isOpen: boolean }): VNode {
  const path = taskPath(scope.workflow, task);
  const answer = (
    <Form action={`${path}/delete`} class="inline">
      <Hidden fields={{ version: stateOfTask(task) }} />
      <button type="submit" class="danger">
        Delete
      </button>
    </Form>
  );
  const dialog = { id: 'delete-task', title: `Delete ${titleOf(scope.workflow, task)}?`, isOpen };
  return (
    <Dialog {...dialog} back={path} answer={answer}>
      <p>This is permanent: its values, files, comments and checklist cannot be restored.</p>
    </Dialog>
  );
}

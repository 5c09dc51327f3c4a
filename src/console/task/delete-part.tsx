import { type VNode } from 'preact';
import { stateOfTask } from '../../tasks/store/task-row.js';
import { titleOf } from '../../workflows/fields/serialize-task.js';
import { mayDelete } from '../../workflows/model/allowed.js';
import { Dialog, Opener } from '../parts/dialog.js';
import { ButtonForm } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { useTask } from './task-view.js';

/** The button to delete a task, for roles that may delete it and if its stage allows it; a dialog asks first. */
export function DeletePart(): VNode | null {
  const { scope, task, path } = useTask();
  const isLocked = scope.workflow.schema.locks.own.has(task.stageId);
  if (!mayDelete(scope, task) || isLocked) return null;
  const answer = (
    <ButtonForm action={`${path}/delete`} look="danger" fields={{ version: stateOfTask(task) }}>
      Delete
    </ButtonForm>
  );
  return (
    <div class="delete">
      <Opener dialog="delete-task" look="quiet">
        <Icon name="trash" /> Delete this task…
      </Opener>
      <Dialog id="delete-task" title={`Delete ${titleOf(scope.workflow, task)}?`} answer={answer}>
        <p>This is permanent: its values, files, comments and checklist cannot be restored.</p>
      </Dialog>
    </div>
  );
}

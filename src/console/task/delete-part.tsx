import { type VNode } from 'preact';
import { mayDelete } from '../../workspace/allowed.js';
import { Form, Hidden } from '../parts/form.js';
import { type TaskPageView } from './task-view.js';
import { stateOfTask } from '../../task-store/task-row.js';

/** The way to delete the task, for roles that may; it asks first. */
export function Delete({ view: { to, scope, task, path } }: { readonly view: TaskPageView }): VNode | null {
  if (!mayDelete(scope)) return null;
  const { task: words } = to.words;
  return (
    <details class="delete">
      <summary>{words.delete}</summary>
      <Form action={`${path}/delete`} class="actions">
        <Hidden fields={{ version: stateOfTask(task) }} />
        <span>{words.deleteQuestion}</span>
        <button type="submit" class="danger">
          {words.deleteButton}
        </button>
      </Form>
    </details>
  );
}

import { agree, plural } from '../../common/wording.js';
import { type VNode } from 'preact';
import { type Property } from '../../workflows/fields/property.js';
import { type TaskView } from '../../workflows/fields/task-view.js';
import { type TaskSearches } from '../../tasks/list/task-searches.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { useReader, nameOfPerson, type SignedIn } from '../reader.js';
import { calledIn, otherWorkflow } from '../task-shown.js';
import { placeOfTask } from '../task/task-view.js';
import { TaskInLine } from './task-line.js';
import { notFound } from '../../common/errors.js';
import { readerScope, type WorkflowRequest } from '../console-controller.js';

export const foundFrame = (property: Property): string => `found-${placeOfTask(property)}`;

/** The parameter by which a form agrees to take a link from another task, given by its public id. */
export const TAKE = '_take';

/** Tasks that may be linked. Each is a button of the surrounding form. */
export function Linkable({ of, found: { property, words, workflow, tasks } }: LinkableProps): VNode {
  const reader = useReader();
  return (
    <turbo-frame id={foundFrame(property)} class="found">
      <p class={tasks.length > 0 ? 'visually-hidden' : 'muted small'} data-found data-words={words}>
        {plural(tasks.length, 'task')} {agree(tasks.length, 'matches', 'match')}
      </p>
      {tasks.length > 0 && (
        <ul class="rows">
          {tasks.map(({ task, holder }) => (
            <li>
              <button
                type="submit"
                class="quiet row"
                name="chosen"
                value={task.uniqueValue ?? ''}
                aria-label={`Link ${task.uniqueValue ?? ''}${heldBy(reader, of, holder)}`}
                formNoValidate
              >
                <TaskInLine workflow={workflow} task={task}>
                  <span class="muted small">{heldBy(reader, of, holder)}</span>
                </TaskInLine>
              </button>
            </li>
          ))}
        </ul>
      )}
    </turbo-frame>
  );
}

/** Says that a task is already linked to one of this workflow, and to which. */
function heldBy({ workspace }: SignedIn, of: Workflow, holder: TaskView | undefined): string {
  if (!holder) return '';
  const owner = workspace.users.get(holder.assigneeId ?? '');
  return ` – linked to ${calledIn(of, holder)} (${owner ? nameOfPerson(owner) : 'Nobody'})`;
}

interface LinkableProps {
  readonly of: Workflow;
  readonly found: Awaited<ReturnType<typeof linkableTasks>>;
}

/**
 * The tasks that a relationship may lead to, found by `q`; 404 if the reader does not know the relationship. Free tasks
 * come first. Each other task comes with its holder: the task that it is linked to now.
 */
export async function linkableTasks(
  searches: TaskSearches,
  { reader, request, scope, query, said }: WorkflowRequest,
) {
  const words = (query.get('q') ?? '').trim();
  const property = scope.workflow.schema.byName.get(said('relationship'));
  const workflow = property?.links && otherWorkflow(scope.workflow, property, reader);
  if (!property || !workflow || !reader.workflows.includes(workflow)) throw notFound();
  const tasks = await searches.linkable(scope, property, readerScope(reader, request, workflow), words);
  return { property, words, workflow, tasks };
}

import { type VNode } from 'preact';
import { type Property } from '../../schema/property.js';
import { type TaskRow } from '../../task-store/task-row.js';
import { type Workflow } from '../../workspace/workspace.js';
import { type SignedIn } from '../reader.js';
import { placeOfTask } from '../task/task-view.js';
import { TaskInLine } from './task-line.js';

/** Where what is found for a relationship appears. */
export const foundFrame = (property: Property): string => `found-${placeOfTask(property)}`;

/** Tasks that may be linked: each a button of the form that they are shown in. */
export function Linkable({ to, property, found: { words: asked, workflow, tasks } }: LinkableProps): VNode {
  const { task: words } = to.words;
  return (
    <turbo-frame id={foundFrame(property)} class="found">
      <p class="visually-hidden" data-found data-words={asked}>
        {words.linkable(tasks.length)}
      </p>
      {tasks.length > 0 && (
        <ul class="rows">
          {tasks.map((task) => (
            <li>
              <button
                type="submit"
                class="quiet row"
                name="chosen"
                value={task.uniqueValue ?? ''}
                aria-label={words.linkThis(task.uniqueValue ?? '')}
                formNoValidate
              >
                <TaskInLine to={to} workflow={workflow} task={task} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {tasks.length === 0 && <p class="muted small">{words.linkable(0)}</p>}
    </turbo-frame>
  );
}

interface LinkableProps {
  readonly to: SignedIn;
  readonly property: Property;
  readonly found: LinkableTasks;
}

/** Tasks that a relationship may lead to, the words by which they were found, and the workflow that they are of. */
export interface LinkableTasks {
  readonly words: string;
  readonly workflow: Workflow;
  readonly tasks: readonly TaskRow[];
}

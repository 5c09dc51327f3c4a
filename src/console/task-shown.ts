import { type Action } from '../actions/action.js';
import { type StepDefinition } from '../workflows/model/action-definition.js';
import { type TaskRow } from '../tasks/store/task-row.js';
import { titleOf } from '../workflows/fields/task-title.js';
import { type Property } from '../workflows/fields/property.js';
import { type TaskView } from '../workflows/fields/task-view.js';
import { findWorkflow, type Workflow } from '../workflows/model/workspace.js';
import { type SignedIn } from './reader.js';

export function taskPath({ slug }: Pick<Workflow, 'slug'>, { publicId }: Pick<TaskRow, 'publicId'>): string {
  return `/workflows/${encodeURIComponent(slug)}/tasks/${publicId}`;
}

/** The name of a task: its Unique ID and title, or only the title if both are the same or the ID is blank. */
export function calledIn(workflow: Workflow, task: TaskView): string {
  const title = titleOf(workflow, task);
  return task.uniqueValue === null || task.uniqueValue === title ? title : `${task.uniqueValue} ${title}`;
}

/** The label of a property: an everyday word for `_created` and the like, otherwise the property's name. */
export const labelOf = (name: string): string => builtIn.get(name) ?? name;

/**
 * The questions that the user confirms before an action. If an action without questions drops the task,
 * returns a warning.
 */
export function questionsOf({ schema }: Workflow, { name, questions, steps }: Action): readonly string[] {
  const moves = (steps as readonly StepDefinition<{ stage?: string }>[]).filter(({ type }) => type === 'move_to_stage'); // prettier-ignore
  const isGivenUp = moves.some(({ stage = '' }) => schema.stages.named(stage)?.outcome === 'dropped');
  return questions.length === 0 && isGivenUp ? [`${name}: this drops the task.`] : questions;
}

const builtIn = new Map([
  ['_created', 'Created'],
  ['_updated', 'Changed'],
  ['_due', 'Due'],
]);

export function otherWorkflow(
  { schema }: Workflow,
  { links }: Property,
  reader: SignedIn,
): Workflow | undefined {
  return findWorkflow(reader.workspace, schema.links.get(links?.side ?? '')?.otherWorkflowId);
}

import { agree, plural } from '../../common/wording.js';
import { type VNode } from 'preact';
import { type LinkableTask } from '../../tasks/list/task-searches.js';
import { type Property } from '../../workflows/fields/property.js';
import { type LinkedTask, type TaskView } from '../../workflows/fields/task-view.js';
import { mayEditLinked, mayLinkTo } from '../../workflows/model/allowed.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { useFault } from '../parts/labelled.js';
import { Form, RemoveButton } from '../parts/form.js';
import { Reason } from '../parts/sayings.js';
import { TaskInLine } from '../parts/task-line.js';
import { Section } from '../parts/section.js';
import { nameOfPerson, type SignedIn, useReader } from '../reader.js';
import { calledIn, otherWorkflow, taskPath } from '../task-shown.js';
import { titleOf } from '../../workflows/fields/task-title.js';
import { editingOf, type FieldProps, isLinkLocked, placeOfTask, useTask } from './task-view.js';

export function Links(): VNode {
  const view = useTask();
  const linked = view.scope.workflow.schema.properties.filter(({ links }) => links !== undefined);
  return (
    <>
      {linked.map((property) => (
        <Relationship property={property} />
      ))}
    </>
  );
}

const MOST_SHOWN = 50;

function Relationship({ property }: FieldProps): VNode {
  const view = useTask();
  const { task, path, reader } = view;
  const place = placeOfTask(property);
  const other = otherWorkflow(view.scope.workflow, property, reader);
  const tasks = (task.linked ?? []).filter(({ side }) => side === property.links?.side);
  const at = `${path}/links/${encodeURIComponent(property.name)}`;
  const { attributes, fault } = useFault(`${place}-id`);
  const { isOpen, why } = editingOf(view, property);
  const title = [property.name, ' ', <span class="count">{task.linked === null ? '' : tasks.length}</span>];
  return (
    <Section id={place} title={title} tabIndex={-1}>
      {task.linked === null && <p class="muted">This task has too many links to show here.</p>}
      {other && tasks.length > 0 && (
        <ul class="rows">
          {tasks.slice(0, MOST_SHOWN).map((linked) => (
            <LinkedLine isEditable={isOpen} other={other} linked={linked} at={at} />
          ))}
        </ul>
      )}
      {tasks.length > MOST_SHOWN && <p class="muted more">and {tasks.length - MOST_SHOWN} more</p>}
      {why !== undefined && <Reason text={why} />}
      {isOpen && other && mayLinkTo(view.scope, other.id) && (
        <Form
          action={at}
          class="add entry finder"
          data-controller="entry finder"
          data-action="input->finder#ask keydown->finder#move"
          data-finder-url-value={at}
        >
          <label class="visually-hidden" for={`${place}-id`}>
            {property.links?.uniqueId() ?? 'ID'} or words of a task
          </label>
          <input
            id={`${place}-id`}
            name="other"
            required
            autocomplete="off"
            data-finder-target="box"
            placeholder={`${property.links?.uniqueId() ?? 'ID'} or words of a task`}
            {...attributes}
          />
          <button type="submit">Link</button>
          {fault}
          <turbo-frame id={foundFrame(property)} class="found" data-finder-target="found" />
        </Form>
      )}
    </Section>
  );
}

interface LinkedProps {
  /** Whether the task lets the reader change these links. A linked task can nevertheless forbid a change. */
  readonly isEditable: boolean;
  readonly other: Workflow;
  readonly linked: LinkedTask;
  readonly at: string;
}

function LinkedLine({ isEditable, other, linked, at }: LinkedProps): VNode {
  const view = useTask();
  const isEnding =
    isEditable &&
    mayEditLinked(view.scope, { ...linked, workflowId: other.id }) &&
    !isLinkLocked(view, linked);
  return (
    <li class="linked">
      <a class="row" href={taskPath(other, linked)}>
        <TaskInLine workflow={other} task={linked} />
      </a>
      {isEnding && linked.uniqueValue !== null && (
        <RemoveButton
          action={`${at}/remove`}
          fields={{ other: linked.uniqueValue }}
          what={titleOf(other, linked)}
        />
      )}
    </li>
  );
}

const foundFrame = (property: Property): string => `found-${placeOfTask(property)}`;

/**
 * Lists tasks of `workflow`, each with a button that links it to the page's task, which is of workflow `of`.
 * If a listed task may have only one link of this kind and already has one, its button is disabled.
 */
export function Linkable({ of, property, workflow, tasks }: LinkableProps): VNode {
  const reader = useReader();
  return (
    <turbo-frame id={foundFrame(property)} class="found">
      <p class={tasks.length > 0 ? 'visually-hidden' : 'muted small'} data-found>
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
                disabled={holder !== undefined}
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

interface LinkableProps extends FieldProps {
  readonly of: Workflow;
  readonly workflow: Workflow;
  readonly tasks: readonly LinkableTask[];
}

/** Says that a task is already linked to `holder`, whose workflow is `of`. Without a holder, returns ''. */
function heldBy({ workspace }: SignedIn, of: Workflow, holder: TaskView | undefined): string {
  if (!holder) return '';
  const owner = workspace.users.get(holder.assigneeId ?? '');
  return ` – linked to ${calledIn(of, holder)} (${owner ? nameOfPerson(owner) : 'Nobody'})`;
}

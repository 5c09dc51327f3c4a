import { type VNode } from 'preact';
import { type Action, isAvailable } from '../../actions/action.js';
import { type Unmet } from '../../actions/requirement.js';
import { Dialog, opens } from '../parts/dialog.js';
import { Form } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { AskedFields } from './asked-part.js';
import { LastFailure } from './failure-part.js';
import { editPath, placeOfTask, type TaskPageView } from './task-view.js';
import { stateOfTask } from '../../task-store/task-row.js';

/** What can be done with the task, what cannot and why, and on demand what belongs to other stages. */
export function Actions({ view }: { readonly view: TaskPageView }): VNode | null {
  const { actions, scope, task, to } = view;
  const words = to.words.task;
  const stage = scope.workflow.schema.stages.get(task.stageId).name;
  const here = actions.filter(({ action }) => isAvailable(action, stage));
  const elsewhere = actions.filter(({ action }) => !isAvailable(action, stage));
  if (actions.length === 0) return null;
  return (
    <section class="task-actions" id="task-actions" aria-labelledby="actions">
      <h2 id="actions">{words.actions}</h2>
      <LastFailure view={view} />
      {here.length === 0 && <p class="muted">{words.noActions}</p>}
      {/* The first is what the stage is for: where it has to wait, no other takes its place. */}
      {here.map(({ action, unmet }, at) =>
        unmet.length === 0 ? (
          <Possible view={view} action={action} look={at === 0 ? 'primary wide' : 'wide'} />
        ) : (
          <Impossible view={view} name={action.name} unmet={unmet} />
        ),
      )}
      {elsewhere.length > 0 && (
        <details>
          <summary>{words.otherActions(elsewhere.length)}</summary>
          <ul class="elsewhere">
            {elsewhere.map(({ action }) => (
              <li>
                {action.name} <span class="muted">{words.inStages(action.stages.join(', '))}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function Possible({ view, action, look }: PossibleProps): VNode {
  const { path, confirm, to, task } = view;
  const at = `${path}/actions/${encodeURIComponent(action.id)}`;
  const [question] = action.questions;
  const dialog = `confirm-${action.id}`;
  const isAsking = action.asked.length > 0;
  const values = `given-${action.id}`;
  const start = isAsking ? (
    <button type="submit" class="primary" form={values}>
      {action.name}
    </button>
  ) : (
    <Form action={at} class="inline" data-turbo-action="replace">
      <input type="hidden" name="version" value={stateOfTask(task)} />
      <button
        type="submit"
        class={question === undefined ? look : 'primary'}
        {...(question !== undefined && { autofocus: true })}
      >
        {action.name}
      </button>
    </Form>
  );
  if (question === undefined && !isAsking) return start;
  return (
    <>
      <a
        class={`button ${look}`}
        href={`${path}?confirm=${encodeURIComponent(action.id)}`}
        {...opens(dialog)}
      >
        {action.name}…
      </a>
      <Dialog
        id={dialog}
        title={question ?? action.name}
        words={to.words}
        isOpen={confirm === action.id}
        back={path}
        answer={start}
      >
        {isAsking && <AskedFields view={view} action={action} id={values} at={at} />}
      </Dialog>
    </>
  );
}

interface PossibleProps {
  readonly view: TaskPageView;
  readonly action: Action;
  /** Classes of the button. */
  readonly look: string;
}

function Impossible({ view, name, unmet }: ImpossibleProps): VNode {
  const words = view.to.words.task;
  return (
    <div class="impossible">
      <p class="impossible-name">
        <Icon name="lock" />
        <span>
          {name} <span class="visually-hidden">{words.impossible}</span>
        </span>
      </p>
      <ul>
        {unmet.map((reason) => (
          <li>
            <Reason view={view} reason={reason} />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface ImpossibleProps {
  readonly view: TaskPageView;
  readonly name: string;
  readonly unmet: readonly Unmet[];
}

/** Why an action is not possible, leading to what would make it so. */
function Reason({
  view,
  reason: { message, about, isOfChecklist },
}: {
  readonly view: TaskPageView;
  readonly reason: Unmet;
}): VNode {
  const { schema } = view.scope.workflow;
  // What stays as it is may be the definition's own, in its own language.
  const { text } = view.to.words.said(message);
  if (isOfChecklist) return <a href="#checklist">{text}</a>;
  const property = about === undefined ? undefined : schema.byName.get(about);
  if (!property) return <span>{text}</span>;
  const place = placeOfTask(property);
  const isInFrame = property.files === undefined && property.links === undefined;
  return isInFrame ? (
    <a href={editPath(view, property)} data-turbo-frame={place}>
      {text}
    </a>
  ) : (
    <a href={`#${place}`}>{text}</a>
  );
}

import { type VNode } from 'preact';
import { stateOfTask } from '../../tasks/store/task-row.js';
import { mayDelete } from '../../workflows/model/allowed.js';
import { Dialog, Opener } from '../parts/dialog.js';
import { ConsolePage } from '../layout.js';
import { boardPath } from '../board/addresses.js';
import { Crumbs } from '../parts/crumbs.js';
import { ButtonForm } from '../parts/form.js';
import { Icon } from '../parts/icon.js';
import { titleOf } from '../../workflows/fields/task-title.js';
import { NextAction, OtherActions } from './actions-part.js';
import { Approvals, PastDecisions } from './approvals-part.js';
import { Checklist } from './checklist-part.js';
import { TimeLine } from './time-line.js';
import { Fields, FieldRow } from './fields-part.js';
import { NEXT, type TaskPageView, TaskViewProvider, useTask } from './task-view.js';
import { StageTrack, Deadline } from './head-part.js';
import { Links } from './links-part.js';

export function TaskPage({ view }: { readonly view: TaskPageView }): VNode {
  const { scope, task, notice } = view;
  const title = titleOf(scope.workflow, task);
  const assignee = scope.workflow.schema.byName.get('Assigned To');
  const skip = (
    <a class="skip" href={`#${NEXT}`}>
      Skip to the next action
    </a>
  );
  return (
    <TaskViewProvider value={view}>
      <ConsolePage
        title={title}
        live={{ workflow: scope.workflow.slug, task: task.publicId }}
        notice={notice}
        {...(view.actions.length > 0 && { skip })}
      >
        <header class="task-head">
          <Crumbs
            path={boardPath(scope.workflow, new URLSearchParams())}
            above={scope.workflow.name}
            here={task.uniqueValue ?? task.publicId}
          />
          <h1>{title}</h1>
          <StageTrack />
          <div class="task-facts">
            {assignee && <FieldRow property={assignee} />}
            <Deadline />
          </div>
        </header>
        <div class="task">
          <aside class="task-side" aria-label="State and actions">
            <NextAction />
            <Approvals />
            <OtherActions />
            <Watching />
          </aside>
          <div class="task-main">
            <Fields />
            <Links />
            <Checklist />
            <TimeLine />
            <PastDecisions />
            <DeletePart />
          </div>
        </div>
      </ConsolePage>
    </TaskViewProvider>
  );
}

function Watching(): VNode {
  const { path, watch } = useTask();
  const isWatching = watch === 'auto' || watch === 'on';
  const said = isWatching
    ? 'You watch this task.'
    : watch === 'muted'
      ? 'You have muted this task.'
      : 'You do not watch this task.';
  return (
    <section class="watch spread" id="watch" aria-label="Notifications">
      <p class="line muted small">
        <Icon name="bell" /> {said}
      </p>
      <ButtonForm action={`${path}/watch`} look="quiet small" fields={{ state: isWatching ? 'muted' : 'on' }}>
        {isWatching ? 'Mute' : 'Watch'}
      </ButtonForm>
    </section>
  );
}

/** The button to delete the task, if the role and the stage allow it. A dialog asks first. */
function DeletePart(): VNode | null {
  const { scope, task, path } = useTask();
  if (!mayDelete(scope, task) || scope.workflow.schema.locks.own.has(task.stageId)) return null;
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
        <p>This is permanent: the task’s values, files, comments and checklist cannot be restored.</p>
      </Dialog>
    </div>
  );
}

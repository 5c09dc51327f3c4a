import { type VNode } from 'preact';
import { DeletePart } from './delete-part.js';
import { ConsolePage } from '../layout.js';
import { type Notice } from '../parts/notices.js';
import { titleOf } from '../../tasks/store/task-title.js';
import { NextAction, OtherActions } from './actions-part.js';
import { Approvals } from './approvals-part.js';
import { PastDecisions } from './past-decisions-part.js';
import { Checklist } from './checklist-part.js';
import { TimeLine } from './time-line.js';
import { Fields } from './fields-part.js';
import { NEXT } from './next-action.js';
import { StageTrack } from './stage-track.js';
import { WhyFailed } from './failure-part.js';
import { Deadline } from './deadline-part.js';
import { FieldRow } from './field-part.js';
import { Links } from './links-part.js';
import { refusedFormNotice } from './refused-forms.js';
import { type TaskNotice, type TaskPageView } from './task-view.js';
import { Watching } from './watch-part.js';

/** A task: what it is, what can be done with it or why not, and what has happened to it. */
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
    <ConsolePage
      title={title}
      live={{ workflow: scope.workflow.slug, task: task.publicId }}
      notice={refusedFormNotice(view) ?? (notice && shownNotice(view, notice))}
      {...(view.actions.length > 0 && { skip })}
    >
      <header class="task-head">
        <nav class="crumbs" aria-label="Breadcrumb">
          <a href={`/workflows/${encodeURIComponent(scope.workflow.slug)}`}>{scope.workflow.name}</a>
          <span aria-hidden="true">/</span>
          <span>{task.uniqueValue ?? task.publicId}</span>
        </nav>
        <h1 class="task-title cut">{title}</h1>
        <StageTrack view={view} />
        <div class="task-facts">
          {assignee && <FieldRow view={view} property={assignee} />}
          <Deadline view={view} />
        </div>
      </header>
      <div class="task">
        <aside class="task-side" aria-label="State and actions">
          <NextAction view={view} />
          <Approvals view={view} />
          <OtherActions view={view} />
          <Watching view={view} />
        </aside>
        <div class="task-main">
          <Fields view={view} />
          <Links view={view} />
          <Checklist view={view} />
          <TimeLine view={view} />
          <PastDecisions view={view} />
          <DeletePart view={view} />
        </div>
      </div>
    </ConsolePage>
  );
}

function shownNotice(view: TaskPageView, { execution, ...notice }: TaskNotice): Notice {
  if (execution === undefined) return notice;
  return { ...notice, more: <WhyFailed view={view} execution={execution} /> };
}

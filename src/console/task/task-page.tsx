import { type VNode } from 'preact';
import { DeletePart } from '../bin/delete-part.js';
import { ConsolePage } from '../layout.js';
import { type Notice } from '../parts/notices.js';
import { titleOf, titleProperty } from '../../task-store/task-title.js';
import { Actions } from './actions-part.js';
import { Approvals } from './approvals-part.js';
import { PastDecisions } from './past-decisions-part.js';
import { Checklist } from './checklist-part.js';
import { Comments, History } from './activity-part.js';
import { WhyFailed } from './failure-part.js';
import { Deadline } from './deadline-part.js';
import { FieldRow } from './field-part.js';
import { Files } from './files-part.js';
import { Links } from './links-part.js';
import { refusedFormNotice } from './refused-forms.js';
import { shownFields, type TaskNotice, type TaskPageView } from './task-view.js';
import { Watching } from './watch-part.js';
import { Why } from './why-part.js';

/** A task: what it is, what can be done with it or why not, and what has happened to it. */
export function TaskPage({ view, live }: { readonly view: TaskPageView; readonly live: string }): VNode {
  const { scope, task, to, notice } = view;
  const { words } = to;
  const { schema } = scope.workflow;
  const title = titleOf(scope.workflow, task);
  const own = shownFields(schema);
  const named = titleProperty(schema.properties);
  const [stage, assignee] = ['Stage', 'Assigned To'].map((name) => schema.byName.get(name));
  return (
    <ConsolePage
      to={to}
      title={title}
      live={live}
      notice={notice ? shownNotice(view, notice) : refusedFormNotice(view)}
    >
      <nav class="crumbs" aria-label={words.task.where}>
        <a href={`/workflows/${encodeURIComponent(scope.workflow.slug)}`}>{scope.workflow.name}</a>
        <span aria-hidden="true">/</span>
        <span>{task.uniqueValue ?? task.publicId}</span>
      </nav>
      <div class="task">
        <h1 class="task-title">{title}</h1>
        <aside class="task-side" aria-label={words.task.state}>
          {stage && <FieldRow view={view} property={stage} />}
          <Deadline view={view} />
          {assignee && <FieldRow view={view} property={assignee} />}
          <Actions view={view} />
          <Approvals view={view} />
          <Watching view={view} />
        </aside>
        <div class="task-main">
          <section aria-labelledby="fields">
            <h2 id="fields">{words.task.fields}</h2>
            <div class="fields">
              {named && own.includes(named) && <FieldRow view={view} property={named} />}
              {own
                .filter((property) => property !== named)
                .map((property) =>
                  property.files ? (
                    <Files view={view} property={property} />
                  ) : (
                    <FieldRow view={view} property={property} />
                  ),
                )}
            </div>
          </section>
          <Links view={view} />
          <Checklist view={view} />
          <Comments view={view} />
          <History view={view} />
          <PastDecisions view={view} />
          <Why view={view} />
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

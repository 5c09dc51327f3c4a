import { type VNode } from 'preact';
import { Page } from '../layout.js';
import { type Group, type MyTask } from '../my-tasks.js';
import { StageBadge } from '../parts/badge.js';
import { Empty } from '../parts/empty.js';
import { Due } from '../parts/time.js';
import { nameOf, type SignedIn } from '../reader.js';
import { taskPath, titleOf } from '../task-shown.js';
import { type Workflow } from '../../workspace/workspace.js';

/** What is somebody's to do. */
export function HomePage({
  to,
  groups,
  live,
}: {
  readonly to: SignedIn;
  readonly groups: readonly Group[];
  readonly live: string;
}): VNode {
  const { words } = to;
  return (
    <Page to={to} title={words.myTasks} live={live}>
      <header class="page-head">
        <h1>{words.myTasks}</h1>
        <p class="muted">{words.home.hello(nameOf(to.user))}</p>
      </header>
      {groups.map((group) => (
        <TaskGroup to={to} group={group} />
      ))}
      {groups.length === 0 && (
        <Empty icon="inbox" title={to.workflows.length === 0 ? words.home.noWorkflows : words.home.nothing}>
          {to.workflows.length === 0 ? words.home.noWorkflowsMore : words.home.nothingMore}
        </Empty>
      )}
    </Page>
  );
}

function TaskGroup({ to, group }: { readonly to: SignedIn; readonly group: Group }): VNode {
  const { workflow, tasks, total } = group;
  const more = total - tasks.length;
  return (
    <section class="group" aria-labelledby={`group-${workflow.slug}`}>
      <h2 id={`group-${workflow.slug}`}>
        <a href={`/workflows/${encodeURIComponent(workflow.slug)}`}>{workflow.name}</a>
        <span class="count">{total}</span>
      </h2>
      <ul class="rows">
        {tasks.map((each) => (
          <TaskLine to={to} workflow={workflow} {...each} />
        ))}
      </ul>
      {more > 0 && <p class="muted more">{to.words.home.more(more)}</p>}
    </section>
  );
}

/** A task in one line, which leads to its page. */
function TaskLine({
  to,
  workflow,
  task,
  due,
}: { readonly to: SignedIn; readonly workflow: Workflow } & MyTask): VNode {
  const { all } = workflow.schema.stages;
  const stage = workflow.schema.stages.get(task.stageId);
  const title = titleOf(workflow, task);
  return (
    <li id={`task-${task.publicId}`}>
      <a class="row" href={taskPath(workflow, task)}>
        <span class="row-id">{task.uniqueValue === title ? '' : task.uniqueValue}</span>
        <span class="row-title">{title}</span>
        {due !== undefined && <Due day={due} to={to} isEnd={stage.isEnd} />}
        <StageBadge name={stage.name} place={all.indexOf(stage)} count={all.length} isEnd={stage.isEnd} />
      </a>
    </li>
  );
}

import { type EntityManager } from 'typeorm';
import { namesOfKeys } from '../../access/api-keys.js';
import { type TaskRow } from '../../tasks/store/task-row.js';
import { findTasksOfIds } from '../../tasks/store/task.repository.js';
import { titleProperty } from '../../workflows/fields/task-title.js';
import { findWorkflow, type Workflow, type Workspace } from '../../workflows/model/workspace.js';
import { type NotificationEntity } from './notification.entity.js';

export interface NoticedTask {
  readonly task: TaskRow;
  readonly workflow: Workflow;
}

interface NoticeSubjects {
  /** Maps the id of a task to the task with its title field. Deleted tasks are absent. */
  readonly tasks: ReadonlyMap<string, NoticedTask>;
  /** Maps the id of an API key to its name. */
  readonly keyNames: ReadonlyMap<string, string>;
}

/** Reads the tasks of notifications, and the names of the API keys that caused the notifications. */
export async function subjectsOf(
  db: EntityManager,
  workspace: Workspace,
  notices: readonly Readonly<Pick<NotificationEntity, 'workflowId' | 'taskId' | 'actor'>>[],
): Promise<NoticeSubjects> {
  const found = Array.from(new Set(notices.map(({ workflowId }) => workflowId)), async (workflowId) => {
    const workflow = findWorkflow(workspace, workflowId);
    if (!workflow) return [];
    const ids = notices.flatMap((notice) => (notice.workflowId === workflowId ? notice.taskId : []));
    const title = titleProperty(workflow.schema.properties)?.fieldId;
    const tasks = await findTasksOfIds(
      db,
      { workspaceId: workspace.id, workflowId },
      [...new Set(ids)],
      title === undefined ? [] : [title],
    );
    return tasks.map((task): [string, NoticedTask] => [task.id, { task, workflow }]);
  });
  const keys = notices.flatMap(({ actor }) => (actor.kind === 'key' ? (actor.id ?? []) : []));
  const keyNames = await namesOfKeys(db, workspace.id, new Set(keys));
  return { tasks: new Map((await Promise.all(found)).flat()), keyNames };
}

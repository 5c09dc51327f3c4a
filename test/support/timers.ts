import { type TestService } from './service.js';

/** Makes a timer that starts an action on a task later, as the step `schedule_action` does; returns its id. */
export async function makeTimer(
  { dataSource }: Pick<TestService, 'dataSource'>,
  uniqueId: string,
  action: string,
  { workspace = 'acme', after = '1 hour' } = {},
): Promise<string> {
  const [timer] = await dataSource.query<{ id: string }[]>(
    `INSERT INTO timers (workspace_id, workflow_id, task_id, action_id, at)
     SELECT t.workspace_id, t.workflow_id, t.id, $2, service_now() + $4::interval
     FROM tasks t JOIN workspaces w ON w.id = t.workspace_id WHERE t.unique_value = $1 AND w.slug = $3 RETURNING id`,
    [uniqueId, action, workspace, after],
  );
  return timer?.id ?? '';
}

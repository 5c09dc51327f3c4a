import { type MadeCall } from './do-effect.js';
import { type Logger } from '../common/logger.js';
import { type Workspaces } from '../workflows/model/workspaces.js';

export interface EndedExecution {
  readonly workspaceId: number;
  readonly workflowId: number;
  readonly id: string;
  /** The id in the `Task URL`; null if the task was deleted. */
  readonly publicId: string | null;
  readonly actionId: string;
  /** Milliseconds since the execution began, or since the start request if the execution never began. */
  readonly ageMs: number;
  readonly calls?: readonly MadeCall[];
}

/** Logs the end of an execution. The causes of a failure must not contain values of a task. */
export async function logEnd(
  logger: Logger,
  workspaces: Workspaces,
  { workspaceId, workflowId, id, publicId, actionId, ageMs, calls = [] }: EndedExecution,
  causes?: readonly string[],
): Promise<void> {
  // The workspace may have been deleted.
  const workspace = await workspaces.get(workspaceId).catch(() => undefined);
  const workflow = [...(workspace?.workflows.values() ?? [])].find(({ id }) => id === workflowId);
  const line = {
    execution: id,
    workspace: workspace?.slug ?? null,
    workflow: workflow?.slug ?? null,
    action: actionId,
    task: publicId,
    status: causes ? 'Fail' : 'Success',
    ...(causes && { cause: causes.join('; ').slice(0, MAX_CAUSE) }),
    duration_ms: Math.round(ageMs),
    ...(calls.length > 0 && { calls }),
  };
  logger.info(line, 'execution');
}

const MAX_CAUSE = 500;

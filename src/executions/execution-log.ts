import { type MadeCall } from './do-effect.js';
import { type Logger } from '../lib/logger.js';
import { type Workspaces } from '../workspace/workspaces.js';

/** An execution that has ended, as far as the log tells of it. */
export interface EndedExecution {
  readonly workspaceId: number;
  readonly workflowId: number;
  readonly id: string;
  /** The last part of the URL of its task; null where that was deleted. */
  readonly publicId: string | null;
  readonly actionId: string;
  /** Milliseconds since it was claimed first, or where it never was, since it was entered. */
  readonly ageMs: number;
  /** The calls that this process has made for it. */
  readonly calls?: readonly MadeCall[];
}

/**
 * One line for the end of an execution, which it returns. Its causes, where it failed, are sentences of the service and of
 * the definition, never what a task holds.
 */
export async function logEnd(
  logger: Logger,
  workspaces: Workspaces,
  { workspaceId, workflowId, id, publicId, actionId, ageMs, calls = [] }: EndedExecution,
  causes?: readonly string[],
): Promise<object> {
  // It may be gone by now.
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
  return line;
}

const MAX_CAUSE = 500;

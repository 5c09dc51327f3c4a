import { type Logger } from '../lib/logger.js';

/** An execution that has ended, as far as the log tells of it. */
export interface EndedExecution {
  readonly workspaceId: number;
  readonly id: string;
  readonly taskId: string;
  readonly actionId: string;
  /** Milliseconds since it was claimed first, or where it never was, since it was entered. */
  readonly ageMs: number;
}

/**
 * One line for the end of an execution. Its causes, where it failed, are sentences of the service and of the definition,
 * never what a task holds.
 */
export function logEnd(logger: Logger, ended: EndedExecution, causes?: readonly string[]): void {
  const line = {
    execution: ended.id,
    workspace: ended.workspaceId,
    action: ended.actionId,
    task: ended.taskId,
    status: causes ? 'Fail' : 'Success',
    ...(causes && { cause: causes.join('; ').slice(0, MAX_CAUSE) }),
    duration_ms: Math.round(ended.ageMs),
  };
  logger.info(line, 'execution');
}

const MAX_CAUSE = 500;

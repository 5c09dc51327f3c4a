import { type Workflow } from '../workflows/workspace.js';
import { type FoundExecution } from './find-execution.js';

/** An execution as interface.md 2.5 shows it; with more where that was asked for. */
export function showExecution(workflow: Workflow, execution: FoundExecution, isVerbose: boolean): object {
  const { id, status, errors } = execution;
  const shown = { id, status, ...(errors && { errors }) };
  if (!isVerbose) return shown;
  const { actionId, actionName, performerId, definition, createdAt, startedAt, finishedAt, outcomes } =
    execution;
  const performer = performerId === null ? undefined : workflow.schema.users.get(performerId);
  return {
    ...shown,
    action: { id: actionId, name: actionName },
    performed_by: performer?.email ?? null,
    definition,
    created: createdAt.toISOString(),
    started: startedAt?.toISOString() ?? null,
    finished: finishedAt?.toISOString() ?? null,
    steps: outcomes,
  };
}

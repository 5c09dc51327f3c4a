import { type Response } from 'express';
import { sendJson } from '../answers/send.js';
import { type Workflow } from '../workflows/workspace.js';
import { type FoundExecution } from './find-execution.js';
import { showExecution } from './shown-execution.js';

/** Answers a POST: 202 while the execution is Pending, 200 when it has ended. */
export async function sendStarted(
  response: Response,
  workflow: Workflow,
  execution: Pick<FoundExecution, 'id' | 'status' | 'errors'>,
  wait: number,
): Promise<void> {
  const { id, status, errors } = execution;
  response.setHeader('Location', `/api/v1/workflows/${encodeURIComponent(workflow.slug)}/executions/${id}`);
  applied(response, wait);
  response.status(status === 'Pending' ? 202 : 200);
  await sendJson(response, JSON.stringify({ id, status, ...(errors && { errors }) }));
}

/** Answers a GET. */
export async function sendExecution(
  response: Response,
  workflow: Workflow,
  execution: FoundExecution,
  { wait, isVerbose }: { readonly wait: number; readonly isVerbose: boolean },
): Promise<void> {
  applied(response, wait);
  await sendJson(response, JSON.stringify(showExecution(workflow, execution, isVerbose)));
}

function applied(response: Response, wait: number): void {
  if (wait > 0) response.setHeader('Preference-Applied', `wait=${wait}`);
}

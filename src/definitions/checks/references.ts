import { type Report } from './report.js';
import { type WorkflowScope, type WorkspaceScope } from './scope.js';

/** Reports a name that no stage of the workflow has. */
export function checkStage(
  holder: object,
  key: string | number,
  name: string,
  scope: WorkflowScope,
  report: Report,
): void {
  if (!scope.stages.has(name))
    report(holder, key, `is not a stage of workflow ${scope.workflow.id}: ${name}`);
}

/** Reports an e-mail that no user of the workspace has. */
export function checkUser(
  holder: object,
  key: string | number,
  email: string,
  scope: WorkspaceScope,
  report: Report,
): void {
  if (!scope.users.find(email)) report(holder, key, `is not a user of this workspace: ${email}`);
}

/** Reports a name that no field of the workflow has. */
export function checkField(
  holder: object,
  key: string | number,
  name: string,
  scope: WorkflowScope,
  report: Report,
): void {
  if (!scope.fields.has(name))
    report(holder, key, `is not a field of workflow ${scope.workflow.id}: ${name}`);
}

import { isSecretPart } from '../../expressions/secret-variable.js';
import { checkDistinct, checkName } from './names.js';
import { type Report } from './report.js';
import { type WorkspaceScope } from './scope.js';

/** Reports what is wrong with the workspace itself, with its id if that is new, and with the ids of its workflows. */
export function checkWorkspace(
  { definition: { workspace, workflows } }: WorkspaceScope,
  report: Report,
  isNew: boolean,
): void {
  if (isNew && !isSecretPart(workspace.id))
    report(workspace, 'id', "begins or ends with -, or holds two in a row: its secrets would be another's");
  if (workspace.name !== undefined) checkName(workspace, 'name', workspace.name, report);
  if (workspace.timezone !== undefined && !isTimezone(workspace.timezone)) {
    report(workspace, 'timezone', `is not a time zone: ${workspace.timezone}`);
  }
  const ids = workflows.map((holder) => ({ holder, key: 'id', text: holder.id }));
  checkDistinct(ids, 'is the id of another workflow', report);
}

function isTimezone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

import { checkDistinct } from './names.js';
import { checkUser } from './references.js';
import { type Report } from './report.js';
import { type WorkflowScope } from './scope.js';

/** Reports what is wrong with the members of a workflow. */
export function checkMembers(
  { workflow: { id, roles, members }, workspace }: WorkflowScope,
  report: Report,
): void {
  const known = new Set(roles.map((role) => role.id));
  for (const member of members) {
    checkUser(member, 'email', member.email, workspace, report);
    if (!known.has(member.role)) report(member, 'role', `is not a role of workflow ${id}: ${member.role}`);
  }
  const emails = members.map((holder) => ({ holder, key: 'email', text: holder.email.toLowerCase() }));
  checkDistinct(emails, 'holds a role of this workflow already', report);
}

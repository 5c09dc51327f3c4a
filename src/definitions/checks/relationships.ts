import { type RelationshipEnd } from '../definition.js';
import { checkDistinct } from './names.js';
import { type Report } from './report.js';
import { type WorkspaceScope } from './scope.js';

/** Reports what is wrong with the relationships beyond their names, which the checks of both workflows see. */
export function checkRelationships(scope: WorkspaceScope, report: Report): void {
  const { relationships } = scope.definition;
  for (const { from, to } of relationships) {
    checkEnd(from, scope, report);
    checkEnd(to, scope, report);
  }
  const ids = relationships.map((holder) => ({ holder, key: 'id', text: holder.id }));
  checkDistinct(ids, 'is the id of another relationship', report);
}

function checkEnd(end: RelationshipEnd, { workflows }: WorkspaceScope, report: Report): void {
  const workflow = workflows.get(end.workflow);
  if (!workflow) {
    report(end, 'workflow', `is not a workflow of this workspace: ${end.workflow}`);
    return;
  }
  const uniqueId = workflow.workflow.fields.find(({ type }) => type === 'uniqueId');
  if (!uniqueId) report(end, 'workflow', `has no Unique ID: ${end.workflow}`);
  else if (!uniqueId.required && uniqueId.autoincrement !== true) {
    report(end, 'workflow', `has a Unique ID that is neither required nor autoincrement: ${end.workflow}`);
  }
}

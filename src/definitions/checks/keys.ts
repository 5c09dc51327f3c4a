import { checkDistinct, checkName, type Use } from './names.js';
import { type Report } from './report.js';
import { type WorkflowScope } from './scope.js';

const builtIns = ['Stage', 'Assigned To', 'Task URL'];

/** Reports the names of fields and relationships that cannot be keys of this workflow's tasks. */
export function checkKeys({ workflow, workspace }: WorkflowScope, report: Report): void {
  const sides = workspace.definition.relationships.flatMap(({ from, to }) => [from, to]);
  const own = sides.filter((side) => side.workflow === workflow.id);
  // Relationships first: of a field and a relationship of one name, the field is blamed.
  const keys = [...own, ...workflow.fields].map((holder): Use => ({
    holder,
    key: 'name',
    text: holder.name,
  }));
  for (const { holder, key, text } of keys) {
    checkName(holder, key, text, report);
    checkReserved(holder, key, text, report);
  }
  checkDistinct(keys, 'is the name of another field or relationship', report);
}

function checkReserved(holder: object, key: string | number, name: string, report: Report): void {
  if (builtIns.includes(name.normalize('NFC'))) report(holder, key, 'is the name of a built-in');
  if (name === 'base') report(holder, key, 'is where errors stand that belong to no field');
  if (name.startsWith('_')) report(holder, key, 'begins with _, as parameters of lists do');
}

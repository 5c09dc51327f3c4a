import { checkRelationships } from './checks/relationships.js';
import { type Report } from './checks/report.js';
import { scopeOf, workflowScope } from './checks/scope.js';
import { checkUsers } from './checks/users.js';
import { checkWorkflow } from './checks/workflow.js';
import { checkWorkspace } from './checks/workspace.js';
import { DefinitionFaults, type Fault, faultAt, withoutShadows } from './definition-faults.js';
import { type WorkspaceDefinition } from './definition.js';
import { join, placeOf } from './place.js';
import { type SourceDefinition } from './read-definition.js';
import { pathsOf } from './stored-paths.js';

/**
 * Checks a whole definition, which `source` was merged into, and throws `DefinitionFaults` with everything that is
 * wrong with it and with the source's form; `isNew` says that there is no such workspace yet. Faults of what the file does not hold name the stored element.
 */
export function checkDefinition(
  definition: WorkspaceDefinition,
  source: SourceDefinition,
  isNew = false,
): void {
  const found = withoutShadows(findFaults(definition, isNew), source.faults);
  const faults = [...source.faults, ...found];
  if (faults.length > 0) throw new DefinitionFaults(source.file, faults);
}

function findFaults(definition: WorkspaceDefinition, isNew: boolean): Fault[] {
  const faults: Fault[] = [];
  const stored = pathsOf(definition);
  const report: Report = (holder, key, message) => {
    const path = `stored: ${join(stored.get(holder) ?? '', key)}`;
    faults.push(placeOf(holder) ? faultAt(holder, key, message) : { path, message });
  };
  const scope = scopeOf(definition);
  checkWorkspace(scope, report, isNew);
  checkUsers(scope, report);
  for (const workflow of definition.workflows) checkWorkflow(workflowScope(scope, workflow), report);
  checkRelationships(scope, report);
  return faults;
}

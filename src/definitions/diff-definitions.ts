import { type Change } from './change.js';
import { type WorkflowDefinition, type WorkspaceDefinition } from './definition.js';
import { diffList } from './diff-list.js';
import { diffWorkflow } from './diff-workflow.js';
import { differences } from './differences.js';
import { emailOf, idOf } from './identities.js';
import { renameStored } from './rename-stored.js';
import { findRenames } from './renames.js';

/** How a merged definition differs from the stored one, from top to bottom; empty where they are equal. */
export function diffDefinitions(
  stored: WorkspaceDefinition | undefined,
  merged: WorkspaceDefinition,
): Change[] {
  const former = stored && renameStored(stored, findRenames(stored, merged));
  const of = { what: 'workspace', name: merged.workspace.id };
  return [
    ...diffWorkspace(former?.workspace, merged.workspace),
    ...diffList(former?.users ?? [], merged.users, {
      what: 'user',
      of,
      list: 'users',
      identify: emailOf,
      label: ({ email }) => email,
      former: ({ was }) => was,
      name: ({ email }) => email,
    }),
    ...diffWorkflows(former?.workflows ?? [], merged.workflows, of),
    ...diffList(former?.relationships ?? [], merged.relationships, {
      what: 'relationship',
      of,
      list: 'relationships',
      identify: idOf,
      label: idOf,
    }),
  ];
}

type WorkspaceHead = WorkspaceDefinition['workspace'];

function diffWorkspace(stored: WorkspaceHead | undefined, merged: WorkspaceHead): Change[] {
  if (!stored) return [{ kind: 'add', what: 'workspace', name: merged.id }];
  const detail = differences(stored, merged);
  return detail === '' ? [] : [{ kind: 'change', what: 'workspace', name: merged.id, detail }];
}

function diffWorkflows(
  stored: readonly WorkflowDefinition[],
  merged: readonly WorkflowDefinition[],
  of: { what: string; name: string },
): Change[] {
  const former = new Map(stored.map((workflow) => [workflow.id, workflow]));
  return diffList(stored, merged, {
    what: 'workflow',
    of,
    list: 'workflows',
    identify: idOf,
    label: idOf,
    describe: contentsOf,
    compare: ({ name }, now) => differences({ name }, { name: now.name }),
    within: (workflow) => diffWorkflow(former.get(workflow.id), workflow),
  });
}

function contentsOf(workflow: WorkflowDefinition): string {
  const lists = ['stages', 'fields', 'checklist', 'roles', 'members', 'actions'] as const;
  return lists
    .filter((list) => workflow[list].length > 0)
    .map((list) => `${list}: ${workflow[list].length}`)
    .join(', ');
}

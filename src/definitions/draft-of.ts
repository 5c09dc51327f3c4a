import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { checkDefinition } from './check-definition.js';
import { type Draft } from './data/draft.js';
import { diffDefinitions } from './diff-definitions.js';
import { findGone } from './gone.js';
import { mergeDefinitions } from './merge-definitions.js';
import { type SourceDefinition } from './read-definition.js';
import { storedDefinition } from './stored-definition.js';
import { type WorkspaceRows } from './workspace-rows.js';

/** What is to be done so that these rows become what the file says; throws when the whole would not be valid. */
export function draftOf(rows: WorkspaceRows, source: SourceDefinition, isPruning: boolean): Draft {
  const stored = rows.workspace.version === 0 ? undefined : storedDefinition(rows);
  const merged = mergeDefinitions(stored, source.definition, { isPruning });
  checkDefinition(merged, source, stored === undefined);
  return { rows, stored, merged, changes: diffDefinitions(stored, merged), gone: findGone(rows, merged) };
}

/** The rows of a workspace that is not there yet. */
export function noRows(slug: string): WorkspaceRows {
  const workspace = Object.assign(new WorkspaceEntity(), {
    id: 0,
    slug,
    name: slug,
    timezone: 'UTC',
    version: 0,
  });
  return {
    workspace,
    users: [],
    workflows: [],
    stages: [],
    fields: [],
    checklist: [],
    roles: [],
    members: [],
    actions: [],
    relationships: [],
  };
}

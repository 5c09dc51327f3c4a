import { type WorkspaceDefinition } from '../model/definition.js';
import { type Draft } from './draft.js';
import { findChangedFields, isRetyped } from '../model/changed-fields.js';

/**
 * The workflows whose tasks are locked against writes. A write of links also locks tasks of neighbouring workflows, and
 * could deadlock with an apply that moves tasks; in that case the neighbours are locked, too.
 */
export function workflowsToLock(draft: Draft): number[] {
  const affected = affectedWorkflows(draft);
  const { relationships } = draft.rows;
  const neighbours = relationships.flatMap(({ fromWorkflowId, toWorkflowId }) =>
    affected.has(fromWorkflowId) || affected.has(toWorkflowId) ? [fromWorkflowId, toWorkflowId] : [],
  );
  const all = movesTasks(draft) ? [...affected, ...neighbours] : [...affected];
  return [...new Set(all)];
}

function affectedWorkflows({ rows, stored, merged }: Draft): Set<number> {
  const text = (definition: WorkspaceDefinition | undefined, id: string): string =>
    JSON.stringify(definition?.workflows.find((workflow) => workflow.id === id));
  const isShared =
    JSON.stringify([stored?.users, stored?.relationships]) !==
    JSON.stringify([merged.users, merged.relationships]);
  const changed = rows.workflows.filter(({ slug }) => isShared || text(stored, slug) !== text(merged, slug));
  return new Set(changed.map(({ id }) => id));
}

function movesTasks(draft: Draft): boolean {
  const { stored, merged, matches } = draft;
  const { stages, fields } = matches.gone;
  const ends = ({ workflows }: WorkspaceDefinition): string =>
    JSON.stringify(workflows.map(({ stages }) => stages.map(({ end }) => end)));
  return (
    stages.length + fields.length > 0 ||
    findChangedFields(draft).some((changed) => changed.fields.some(isRetyped)) ||
    (stored !== undefined && ends(stored) !== ends(merged))
  );
}

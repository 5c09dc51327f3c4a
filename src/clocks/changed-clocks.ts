import { type WorkflowEntity } from '../workspace/entities/workflow.entity.js';
import { type WorkflowDefinition, type WorkspaceDefinition } from '../workspace/definition.js';

/** The ids of the workflows whose clocks behave differently under another definition. */
export function workflowsWithOtherClocks(
  stored: WorkspaceDefinition | undefined,
  merged: WorkspaceDefinition,
  workflows: readonly Pick<WorkflowEntity, 'id' | 'slug'>[],
): number[] {
  const before = clocksBySlug(stored);
  const after = clocksBySlug(merged);
  return workflows.filter(({ slug }) => before.get(slug) !== after.get(slug)).map(({ id }) => id);
}

/** Everything that clocks depend on, as a text; without workflows that have no clocks. */
function clocksBySlug(definition: WorkspaceDefinition | undefined): Map<string, string> {
  const { timezone } = definition?.workspace ?? {};
  const calendars = definition?.calendars ?? [];
  const textOf = ({ clocks, stages }: WorkflowDefinition): string =>
    JSON.stringify([clocks, stages.map(({ name, end }) => [name, end]), calendars, timezone]);
  const clocked = (definition?.workflows ?? []).filter(
    ({ clocks }) => (clocks as unknown[] | undefined)?.length,
  );
  return new Map(clocked.map((workflow) => [workflow.id, textOf(workflow)]));
}

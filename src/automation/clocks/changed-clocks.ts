import { calendars } from '../../workflows/model/kinds/calendars.kind.js';
import { clocks } from './clocks.kind.js';
import { type WorkflowEntity } from '../../workflows/model/entities/workflow.entity.js';
import { type WorkflowDefinition, type WorkspaceDefinition } from '../../workflows/model/definition.js';

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
  const hours = calendars.in(definition ?? {});
  const textOf = (workflow: WorkflowDefinition): string =>
    JSON.stringify([
      clocks.in(workflow),
      workflow.stages.map(({ name, end }) => [name, end]),
      hours,
      timezone,
    ]);
  const clocked = (definition?.workflows ?? []).filter((workflow) => clocks.in(workflow).length > 0);
  return new Map(clocked.map((workflow) => [workflow.id, textOf(workflow)]));
}

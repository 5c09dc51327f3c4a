import { changeClocks } from './clock-changes.repository.js';
import { type WorkflowDefinition, type WorkspaceDefinition } from '../../workflows/model/definition.js';
import { type WorkflowEntity } from '../../workflows/model/entities/workflow.entity.js';
import { type Impact } from '../../workflows/model/impact.js';
import { calendars as calendarLists } from '../../workflows/model/kinds/calendars.kind.js';
import { clocks as clockLists } from './clocks.kind.js';

export const clocksImpact: Impact = {
  async settle(tx, { workspaceId, stored, merged, after, version }) {
    // A new workspace has no tasks whose clocks could change.
    if (!stored) return;
    const clocked = workflowsWithOtherClocks(stored, merged, after.workflows);
    await changeClocks(tx, workspaceId, clocked, version);
  },
};

/** The ids of the workflows whose clocks behave differently under another definition. */
function workflowsWithOtherClocks(
  stored: WorkspaceDefinition,
  merged: WorkspaceDefinition,
  workflows: readonly Pick<WorkflowEntity, 'id' | 'slug'>[],
): number[] {
  const before = clocksBySlug(stored);
  const after = clocksBySlug(merged);
  return workflows.filter(({ slug }) => before.get(slug) !== after.get(slug)).map(({ id }) => id);
}

/** All settings on which clocks depend, as JSON, by workflow. Workflows without clocks are absent. */
function clocksBySlug({ workspace, workflows, ...lists }: WorkspaceDefinition): Map<string, string> {
  const hours = calendarLists.in(lists);
  const textOf = (workflow: WorkflowDefinition): string =>
    JSON.stringify([
      clockLists.in(workflow),
      workflow.stages.map(({ name, end }) => [name, end]),
      hours,
      workspace.timezone,
    ]);
  const clocked = workflows.filter((workflow) => clockLists.in(workflow).length > 0);
  return new Map(clocked.map((workflow) => [workflow.id, textOf(workflow)]));
}

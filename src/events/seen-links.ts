import { type EntityManager } from 'typeorm';
import { sql } from '../database/sql.js';
import { type Workflow } from '../workspace/workspace.js';
import { type RecordedEvent } from './events.repository.js';

type RecordedLink = NonNullable<RecordedEvent['links']>[number];

/** The events of a task of this workflow without links to tasks that its viewer does not see. */
export async function withSeenLinks(
  db: EntityManager,
  workflow: Workflow,
  events: readonly RecordedEvent[],
): Promise<readonly RecordedEvent[]> {
  const { bound } = workflow;
  if (!bound) return events;
  const { whole, assigned } = bound.sight;
  const all = events.flatMap(({ links }) => links ?? []);
  const asked = all.filter(([side]) => assigned.includes(farWorkflow(workflow, side)));
  const seen = await assignedOf(db, workflow, bound.userId, asked);
  const isSeen = (link: RecordedLink): boolean =>
    whole.includes(farWorkflow(workflow, link[0])) || seen.has(nameOf(workflow, link));
  return events.map((event) => ({ ...event, links: event.links?.filter(isSeen) ?? null }));
}

/** The workflow at the other end of a side; none has the id 0. */
function farWorkflow({ schema }: Workflow, side: string): number {
  return schema.links.get(side)?.otherWorkflowId ?? 0;
}

const nameOf = (workflow: Workflow, [side, , uniqueId]: RecordedLink): string =>
  `${farWorkflow(workflow, side)} ${uniqueId ?? ''}`;

/** Which of the tasks that these links name are assigned to the user, by workflow and Unique ID. */
async function assignedOf(
  db: EntityManager,
  workflow: Workflow,
  userId: string,
  links: readonly RecordedLink[],
): Promise<ReadonlySet<string>> {
  if (links.length === 0) return new Set();
  const workflows = links.map(([side]) => farWorkflow(workflow, side));
  const uniqueIds = links.map(([, , uniqueId]) => uniqueId);
  const rows = await sql<{ name: string }>(db, find, [workflow.workspaceId, workflows, uniqueIds, userId]);
  return new Set(rows.map(({ name }) => name));
}

const find = {
  name: 'assigned-of',
  text: `
    SELECT t.workflow_id || ' ' || t.unique_value AS name
    FROM (SELECT DISTINCT * FROM unnest($2::integer[], $3::text[]) n (workflow_id, unique_value)) n
    JOIN tasks t ON t.workspace_id = $1 AND t.workflow_id = n.workflow_id AND t.unique_value = n.unique_value
    WHERE t.assignee_id = $4`,
};

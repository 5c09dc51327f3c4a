import { actionsIn } from '../workflows/model/action-definition.js';
import { type ChangedDefinition } from '../workflows/model/changed-definition.js';
import { renamesOf } from '../workflows/model/changed-definition.js';

/** An action that a new definition removes, although the workflow of the action stays. */
interface GoneAction {
  readonly its: { readonly workspaceId: number; readonly workflowId: number; readonly actionId: string };
  /** The workflow and the action, such as `vendors / approve`. */
  readonly name: string;
}

export function goneActions({ rows, merged }: ChangedDefinition): GoneAction[] {
  return rows.workflows.flatMap((row) => {
    const { workspaceId, id: workflowId, slug } = row;
    const stay = merged.workflows.find((each) => each.id === slug)?.actions.map(({ id, was }) => was ?? id);
    return actionsIn(row)
      .filter(({ id }) => stay?.includes(id) === false)
      .map(({ id }) => ({ its: { workspaceId, workflowId, actionId: id }, name: `${slug} / ${id}` }));
  });
}

export const renamedActions = ({ rows, renames }: ChangedDefinition): RenamedAction[] =>
  rows.workflows.flatMap(({ workspaceId, id, slug }) =>
    [...renamesOf(renames.workflows.get(slug), 'action')].map(
      ([was, now]) => [workspaceId, id, now, was] as const,
    ),
  );

/** The parameters of statements that rename an action: workspace, workflow, new id and old id. */
type RenamedAction = readonly [workspaceId: number, workflowId: number, now: string, was: string];

/** SQL that tests whether a row belongs to an action. `$3` is the new id of the action, `$4` the old id. */
export const ofAction = (id: '$3' | '$4'): string =>
  `workspace_id = $1 AND workflow_id = $2 AND action_id = ${id}`;

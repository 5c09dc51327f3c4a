import { actionsIn } from '../workflows/model/action-definition.js';
import { type ChangedDefinition } from '../workflows/model/changed-definition.js';
import { renamesOf } from '../workflows/model/changed-definition.js';

/** An action that the definition changes or removes, while something may be waiting for it. */
interface ChangedAction {
  /** The action before the change. */
  readonly its: { readonly workspaceId: number; readonly workflowId: number; readonly actionId: string };
  /** `vendors / approve`, by its new id. */
  readonly name: string;
  readonly stays: boolean;
}

/** The actions that a change touches, without those of removed workflows. */
export function changedActions({ rows, merged, changes }: ChangedDefinition): ChangedAction[] {
  return rows.workflows.flatMap((row) => {
    const { workspaceId, id: workflowId, slug } = row;
    const workflow = merged.workflows.find((each) => each.id === slug);
    return actionsIn(workflow ? row : {}).flatMap(({ id }) => {
      const stays = workflow?.actions.find((action) => (action.was ?? action.id) === id);
      const [name, former] = [`${slug} / ${stays?.id ?? id}`, `${slug} / ${id}`];
      const isChanged = changes.some(
        ({ what, name: of }) => what === 'action' && [name, former].includes(of),
      );
      return isChanged
        ? { its: { workspaceId, workflowId, actionId: id }, name, stays: stays !== undefined }
        : [];
    });
  });
}

export const renamedActions = ({ rows, renames }: ChangedDefinition): RenamedAction[] =>
  rows.workflows.flatMap(({ workspaceId, id, slug }) =>
    [...renamesOf(renames.workflows.get(slug), 'action')].map(
      ([was, now]) => [workspaceId, id, now, was] as const,
    ),
  );

/** The workspace, the workflow, the new id and the former one: the parameters of statements that rename. */
type RenamedAction = readonly [workspaceId: number, workflowId: number, now: string, was: string];

/** SQL: the rows of the action with the new id, or with the former one. */
export const ofAction = (id: '$3' | '$4'): string =>
  `workspace_id = $1 AND workflow_id = $2 AND action_id = ${id}`;

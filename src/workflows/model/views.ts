import { views } from './kinds/views.kind.js';
import { queryOfView } from './view-definition.js';
import { type Workflow, type Workspace } from './workspace.js';

/** A board or list under a name, as the definition has it. */
export interface View {
  readonly id: string;
  readonly name: string;
  readonly workflow: Workflow;
  readonly as: 'board' | 'list';
  /** Of its page, with its columns. */
  readonly query: string;
}

/** The views of these workflows. */
export function viewsKnownIn({ rows }: Workspace, workflows: readonly Workflow[]): View[] {
  return views.in(rows.workspace).flatMap(({ id, name, workflow: slug, as, ...asked }) => {
    const workflow = workflows.find((each) => each.slug === slug);
    return workflow ? { id, name, workflow, as, query: queryOfView(asked).toString() } : [];
  });
}

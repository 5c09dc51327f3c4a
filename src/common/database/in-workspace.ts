import { PrimaryColumn } from 'typeorm';

/** The row of a table whose key begins with the workspace. */
export abstract class InWorkspace {
  @PrimaryColumn('integer')
  workspaceId!: number;
}

/** The row of a table whose key begins with the workspace and the workflow. */
export abstract class InWorkflow extends InWorkspace {
  @PrimaryColumn('integer')
  workflowId!: number;
}

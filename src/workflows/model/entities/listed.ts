import { Column, PrimaryColumn } from 'typeorm';

/** The columns of each list of a workspace that has a table. */
export abstract class ListedInWorkspace {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @Column('integer')
  position!: number;
}

/** The columns of each list of a workflow that has a table. */
export abstract class ListedInWorkflow extends ListedInWorkspace {
  @PrimaryColumn('integer')
  workflowId!: number;
}

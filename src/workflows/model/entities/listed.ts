import { Column, PrimaryColumn } from 'typeorm';

/** The columns that the table of each list of a workspace has. */
export abstract class ListedInWorkspace {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @Column('integer')
  position!: number;
}

/** The columns that the table of each list of a workflow has. */
export abstract class ListedInWorkflow extends ListedInWorkspace {
  @PrimaryColumn('integer')
  workflowId!: number;
}

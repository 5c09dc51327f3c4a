import { Column, PrimaryColumn } from 'typeorm';

/** The columns that every table with a list of a workspace has. */
export abstract class ListedInWorkspace {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @Column('integer')
  position!: number;
}

/** The columns that every table with a list of a workflow has. */
export abstract class ListedInWorkflow extends ListedInWorkspace {
  @PrimaryColumn('integer')
  workflowId!: number;
}

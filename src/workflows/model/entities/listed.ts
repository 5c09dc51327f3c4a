import { Column, PrimaryColumn } from 'typeorm';

/** The columns of every table that stores a list of a workspace. */
export abstract class ListedInWorkspace {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @Column('integer')
  position!: number;
}

/** The columns of every table that stores a list of a workflow. */
export abstract class ListedInWorkflow extends ListedInWorkspace {
  @PrimaryColumn('integer')
  workflowId!: number;
}

import { Column } from 'typeorm';
import { InWorkflow, InWorkspace } from '../../../common/database/in-workspace.js';

/** The columns of every table that stores a list of a workspace. */
export abstract class ListedInWorkspace extends InWorkspace {
  @Column('integer')
  position!: number;
}

/** The columns of every table that stores a list of a workflow. */
export abstract class ListedInWorkflow extends InWorkflow {
  @Column('integer')
  position!: number;
}

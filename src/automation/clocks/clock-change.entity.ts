import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An apply that changed the clocks of a workflow, and how far the clocks of its tasks have been recalculated. */
@Entity('clock_changes')
export class ClockChangeEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  /** The version of the definition. */
  @Column('integer')
  version!: number;

  /** The last task whose clocks have been recalculated. Those of later tasks are recalculated before they fire. */
  @Column('bigint')
  afterTaskId!: string;

  @Column('timestamptz')
  changedAt!: Date;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** That the clocks of a workflow were changed by an apply, and how many of its tasks were derived anew since. */
@Entity('clock_changes')
export class ClockChangeEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  /** The version of the definition. */
  @Column('integer')
  version!: number;

  /** The tasks up to this one are derived; those behind it do not fire yet. */
  @Column('bigint')
  afterTaskId!: string;

  /** Whether what is overdue at once fires. */
  @Column('boolean')
  firesOverdue!: boolean;

  @Column('timestamptz')
  changedAt!: Date;
}

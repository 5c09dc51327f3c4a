import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The last number that a workflow with an `autoincrement` Unique ID gave out or was given. */
@Entity('unique_id_counters')
export class UniqueIdCounterEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @Column('numeric')
  last!: string;
}

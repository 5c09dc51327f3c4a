import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The last number that a workflow with an `autoincrement` Unique ID has assigned or received. */
@Entity('unique_id_counters')
export class UniqueIdCounterEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @Column('numeric')
  last!: string;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What the lists of a day cost that were sorted by a field without an index. */
@Entity('sort_costs')
export class SortCostEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('text')
  fieldId!: string;

  @PrimaryColumn('date')
  day!: string;

  @Column('integer')
  lists!: number;

  @Column('double precision')
  seconds!: number;
}

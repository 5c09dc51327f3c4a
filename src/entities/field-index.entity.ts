import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A field of a workflow by which tasks are kept in order. */
@Entity('field_indexes')
export class FieldIndexEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('text')
  fieldId!: string;

  @Column('integer')
  id!: number;

  /** How keys are made of values. */
  @Column('text')
  kind!: string;

  /** Tasks up to this id that were there when it began are in it. */
  @Column('bigint')
  filledTo!: string;

  /** Whether all tasks are in it. */
  @Column('boolean')
  isFilled!: boolean;
}

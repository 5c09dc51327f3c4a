import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An index of a workflow: by the order of a field, or by the words of all texts. */
@Entity('field_indexes')
export class FieldIndexEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  /** Empty for an index of words. */
  @PrimaryColumn('text')
  fieldId!: string;

  @Column('integer')
  id!: number;

  /** How the index converts values to keys. */
  @Column('text')
  kind!: string;

  /** The fields of an index of words. */
  @Column('text', { array: true, nullable: true })
  textFields!: string[] | null;

  /** The index is filled for the tasks up to this id. */
  @Column('bigint')
  filledTo!: string;

  /** Whether the index is filled for all tasks. */
  @Column('boolean')
  isFilled!: boolean;
}

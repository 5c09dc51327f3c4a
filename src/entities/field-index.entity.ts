import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An index of a workflow: in the order of a field, or by the words of all its texts. */
@Entity('field_indexes')
export class FieldIndexEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  /** Empty where it is one of words. */
  @PrimaryColumn('text')
  fieldId!: string;

  @Column('integer')
  id!: number;

  /** How keys are made of values. */
  @Column('text')
  kind!: string;

  /** Whose words it holds, where it is one of words. */
  @Column('text', { array: true, nullable: true })
  textFields!: string[] | null;

  /** Tasks up to this id that were there when it began are in it. */
  @Column('bigint')
  filledTo!: string;

  /** Whether all tasks are in it. */
  @Column('boolean')
  isFilled!: boolean;
}

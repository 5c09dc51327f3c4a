import { Column, Entity, PrimaryColumn } from 'typeorm';
import { InWorkflow, InWorkspace } from '../../common/database/in-workspace.js';

/** An index of a workflow's tasks: by the values of one field, or by the words of all texts. */
@Entity('field_indexes')
export class FieldIndexEntity extends InWorkflow {
  /** The id of the field; empty for an index of words. */
  @PrimaryColumn('text')
  fieldId!: string;

  @Column('integer')
  id!: number;

  /** How the index turns values into keys; `words` for an index of words. */
  @Column('text')
  kind!: string;

  /** The fields that an index of words covers, without the Unique ID; null for the index of a field. */
  @Column('text', { array: true, nullable: true })
  textFields!: string[] | null;

  /** The index is complete for the tasks up to this id. */
  @Column('bigint')
  filledTo!: string;

  @Column('boolean')
  isFilled!: boolean;
}

@Entity('task_sort_keys')
export class TaskSortKeyEntity extends InWorkspace {
  @PrimaryColumn('integer')
  indexId!: number;

  @PrimaryColumn('text')
  sortKey!: string;

  @PrimaryColumn('bigint')
  taskId!: string;
}

@Entity('task_words')
export class TaskWordsEntity extends InWorkspace {
  @PrimaryColumn('integer')
  indexId!: number;

  @PrimaryColumn('bigint')
  taskId!: string;

  /** Each word is prefixed with the id of the index. */
  @Column('tsvector')
  words!: string;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('task_words')
export class TaskWordsEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  indexId!: number;

  @PrimaryColumn('bigint')
  taskId!: string;

  /** Each word is prefixed with the id of the index. */
  @Column('tsvector')
  words!: string;
}

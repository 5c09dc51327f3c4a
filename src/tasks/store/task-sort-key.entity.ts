import { Entity, PrimaryColumn } from 'typeorm';

@Entity('task_sort_keys')
export class TaskSortKeyEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  indexId!: number;

  @PrimaryColumn('text')
  sortKey!: string;

  @PrimaryColumn('bigint')
  taskId!: string;
}

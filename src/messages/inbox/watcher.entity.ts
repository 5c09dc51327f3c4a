import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type WatchState } from '../../common/column-values.js';

/** Whether a user watches a task. The row is kept, so that later events do not override the user's choice. */
@Entity('watchers')
export class WatcherEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('bigint')
  taskId!: string;

  @PrimaryColumn('text')
  userId!: string;

  @Column('integer')
  workflowId!: number;

  @Column('text')
  state!: WatchState;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type WatchState } from './column-values.js';

/** Whether a user watches a task: a row that says so stays, so that nothing decides anew what they have decided. */
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

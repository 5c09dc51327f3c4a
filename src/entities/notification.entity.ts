import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type MailState, type NotificationReason } from './column-values.js';

/** That a user is told of an event of a task. */
@Entity('notifications')
export class NotificationEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  userId!: string;

  /** The place of the event. */
  @PrimaryColumn('bigint')
  eventPlace!: string;

  @Column('integer')
  workflowId!: number;

  /** Null where it stands for the many tasks that one request has assigned to the user. */
  @Column('bigint', { nullable: true })
  taskId!: string | null;

  /** How many tasks that are. */
  @Column('integer')
  tasks!: number;

  @Column('text')
  reason!: NotificationReason;

  /** Who did it. */
  @Column('json')
  actor!: NotificationActor;

  /** The request or the execution that has assigned the task; null for other reasons. */
  @Column('text', { nullable: true })
  requestId!: string | null;

  /** When the event happened. */
  @Column('timestamptz')
  at!: Date;

  @Column('timestamptz', { nullable: true })
  readAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  doneAt!: Date | null;

  /** Until then the inbox does not show it. */
  @Column('timestamptz', { nullable: true })
  snoozedUntil!: Date | null;

  /** Whether it is to be mailed if it is still unread by then. */
  @Column('text')
  mail!: MailState;

  @Column('timestamptz', { nullable: true })
  mailedAt!: Date | null;
}

/** By internal ids: of a user, a key, or what acts by itself. */
export interface NotificationActor {
  readonly kind: 'user' | 'key' | 'rule' | 'clock' | 'schedule' | 'timer' | 'system';
  readonly id: string | null;
}

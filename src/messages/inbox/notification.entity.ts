import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type MailState, type NotificationReason } from '../../common/column-values.js';

@Entity('notifications')
export class NotificationEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  userId!: string;

  @PrimaryColumn('bigint')
  eventPlace!: string;

  @Column('integer')
  workflowId!: number;

  /** Null if it stands for many tasks that one request assigned to the user. */
  @Column('bigint', { nullable: true })
  taskId!: string | null;

  @Column('integer')
  tasks!: number;

  @Column('text')
  reason!: NotificationReason;

  @Column('json')
  actor!: NotificationActor;

  /** The request or execution that assigned the task; null for other reasons. */
  @Column('text', { nullable: true })
  requestId!: string | null;

  /** The time of the event. */
  @Column('timestamptz')
  at!: Date;

  @Column('timestamptz', { nullable: true })
  readAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  doneAt!: Date | null;

  /** The inbox does not show it before this time. */
  @Column('timestamptz', { nullable: true })
  snoozedUntil!: Date | null;

  /** Whether it is to be mailed if it stays unread. */
  @Column('text')
  mail!: MailState;
}

/** A user, a key or another starter, by internal ids. */
export interface NotificationActor {
  readonly kind: string;
  readonly id: string | null;
}

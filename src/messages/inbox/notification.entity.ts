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

  @Column('bigint')
  taskId!: string;

  @Column('text')
  reason!: NotificationReason;

  @Column('json')
  actor!: NotificationActor;

  /** The time of the event. */
  @Column('timestamptz')
  at!: Date;

  @Column('timestamptz', { nullable: true })
  readAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  doneAt!: Date | null;

  /** The letter that tells of it if it stays unread. */
  @Column('text')
  mail!: MailState;
}

/** A user, a key or another starter, by internal ids. */
export interface NotificationActor {
  readonly kind: string;
  readonly id: string | null;
}

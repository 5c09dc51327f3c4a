import { Column, Entity, PrimaryColumn } from 'typeorm';
import {
  type MailState,
  type NotificationReason,
  type WatchState,
  type NoticeLetter,
} from '../../common/column-values.js';
import { InWorkspace } from '../../common/database/in-workspace.js';

@Entity('notifications')
export class NotificationEntity extends InWorkspace {
  @PrimaryColumn('text')
  userId!: string;

  @PrimaryColumn('bigint')
  eventPlace!: string;

  @Column('integer')
  workflowId!: number;

  @PrimaryColumn('bigint')
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

  /** If the notification stays unread, this letter lists the notification; 'none' for no letter. */
  @Column('text')
  mail!: MailState;
}

/** Who caused the event: a user, an API key or, for example, a rule. The kind `system` has no id. */
export interface NotificationActor {
  readonly kind: string;
  readonly id: string | null;
}

/** Whether a user watches a task. Muting keeps the row, so that later events do not unmute the task. */
@Entity('watchers')
export class WatcherEntity extends InWorkspace {
  @PrimaryColumn('bigint')
  taskId!: string;

  @PrimaryColumn('text')
  userId!: string;

  @Column('integer')
  workflowId!: number;

  @Column('text')
  state!: WatchState;
}

/** Notifications gather in a mail window until a prompt letter or a digest lists them. */
@Entity('mail_windows')
export class MailWindowEntity extends InWorkspace {
  @PrimaryColumn('text')
  userId!: string;

  @PrimaryColumn('text')
  letter!: NoticeLetter;

  @Column('timestamptz')
  dueAt!: Date;

  @Column('integer')
  tries!: number;

  /** The event places of the notifications in a mail that may have been sent; null if no mail is in doubt. */
  @Column('bigint', { array: true, nullable: true })
  inDoubt!: string[] | null;

  /** The number of claims. Writes with an older number are rejected. */
  @Column('integer')
  fence!: number;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;
}

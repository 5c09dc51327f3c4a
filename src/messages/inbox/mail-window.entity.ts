import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type NoticeLetter } from '../../common/column-values.js';

/** When a user is mailed the unread notifications of a letter. */
@Entity('mail_windows')
export class MailWindowEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  userId!: string;

  @PrimaryColumn('text')
  letter!: NoticeLetter;

  @Column('timestamptz')
  dueAt!: Date;

  @Column('integer')
  tries!: number;

  /** The events in a mail that may have been sent; null once the result is recorded. */
  @Column('bigint', { array: true, nullable: true })
  inDoubt!: string[] | null;

  /** Counts the claims. Writes under an older number are rejected. */
  @Column('integer')
  fence!: number;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;
}

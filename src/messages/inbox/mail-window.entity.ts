import { Column, Entity, PrimaryColumn } from 'typeorm';

/** When a user is mailed the unread notifications about one task, or those about all watched tasks as a digest. */
@Entity('mail_windows')
export class MailWindowEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text', { generated: true })
  id!: string;

  @Column('text')
  userId!: string;

  /** The id of the task, a negative number for the assignments by one request, or null for the digest. */
  @Column('bigint', { nullable: true })
  thread!: string | null;

  @Column('timestamptz')
  openedAt!: Date;

  /** Whether the due time has been determined. */
  @Column('boolean')
  isPlaced!: boolean;

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

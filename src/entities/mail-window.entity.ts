import { Column, Entity, PrimaryColumn } from 'typeorm';

/** When a user is mailed what they were told of one task, or of all that they watch, as far as they have not read it by then. */
@Entity('mail_windows')
export class MailWindowEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text', { generated: true })
  id!: string;

  @Column('text')
  userId!: string;

  /** The task, or less than zero for what one request has assigned; null for the digest. */
  @Column('bigint', { nullable: true })
  thread!: string | null;

  @Column('timestamptz')
  openedAt!: Date;

  /** Whether somebody has found out when it is due. */
  @Column('boolean')
  isPlaced!: boolean;

  @Column('timestamptz')
  dueAt!: Date;

  @Column('integer')
  tries!: number;

  /** The events in a letter that may have been sent, while nobody has written down what came of it. */
  @Column('bigint', { array: true, nullable: true })
  inDoubt!: string[] | null;

  /** Counts the claims; who writes under an older one is refused. */
  @Column('integer')
  fence!: number;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;
}

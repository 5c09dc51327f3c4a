import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type NotificationChannel, type NotificationReason } from './column-values.js';
import { type AbsenceColumn } from './json-columns.js';

@Entity('users')
export class UserEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  email!: string;

  /** The e-mail in lower case, by which users are told apart; kept by the database. */
  @Column({ type: 'text', insert: false, update: false })
  emailKey!: string;

  @Column('text', { nullable: true })
  firstName!: string | null;

  @Column('text', { nullable: true })
  lastName!: string | null;

  @Column('boolean')
  active!: boolean;

  /** When they are away, and who decides for them meanwhile. */
  @Column('json', { nullable: true })
  away!: AbsenceColumn | null;

  @Column('integer')
  position!: number;

  /** Whether single keys do something alone on the pages, as the user has said; no definition has it. */
  @Column({ type: 'boolean', insert: false })
  shortcuts!: boolean;

  /** No part of the definition, with which users are read. */
  @Column({ type: 'timestamptz', nullable: true, select: false, insert: false, update: false })
  lastSignedInAt!: Date | null;

  /** Where they want to be told of what, as far as they have chosen. */
  @Column({ type: 'json', select: false, insert: false, update: false })
  notificationChoices!: NotificationChoices;

  /** The time zone and the language of their last browser. */
  @Column({ type: 'text', nullable: true, select: false, insert: false, update: false })
  timeZone!: string | null;

  @Column({ type: 'text', nullable: true, select: false, insert: false, update: false })
  language!: string | null;

  /** How often in a row a mail server has refused their address for good, and since when no mail is sent to it. */
  @Column({ type: 'integer', select: false, insert: false, update: false })
  mailRefusals!: number;

  @Column({ type: 'timestamptz', nullable: true, select: false, insert: false, update: false })
  undeliverableAt!: Date | null;
}

/** Where somebody is told, by the reason. */
export type NotificationChoices = Readonly<Partial<Record<NotificationReason, NotificationChannel>>>;

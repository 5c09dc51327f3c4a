import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ListedInWorkspace } from './listed.js';
import { type MailChoice } from '../../../common/column-values.js';
import { type AbsenceColumn } from '../../../common/database/json-columns.js';

@Entity('users')
export class UserEntity extends ListedInWorkspace {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  email!: string;

  /** The e-mail in lower case, which identifies the user; maintained by the database. */
  @Column({ type: 'text', insert: false, update: false })
  emailKey!: string;

  @Column('text', { nullable: true })
  firstName!: string | null;

  @Column('text', { nullable: true })
  lastName!: string | null;

  @Column('boolean')
  active!: boolean;

  @Column('json', { nullable: true })
  away!: AbsenceColumn | null;

  /** A query gets this column only if it selects the column explicitly. */
  @Column({ type: 'timestamptz', nullable: true, select: false, insert: false, update: false })
  lastSignedInAt!: Date | null;

  @Column({ type: 'text', select: false, insert: false })
  mailChoice!: MailChoice;

  /** The time zone of the browser that the user used last. */
  @Column({ type: 'text', nullable: true, select: false, insert: false })
  timeZone!: string | null;
}

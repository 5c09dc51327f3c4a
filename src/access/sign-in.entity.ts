import { Column, Entity, PrimaryColumn } from 'typeorm';
import { InWorkspace } from '../common/database/in-workspace.js';

/** A browser in which a user is signed in. Only the SHA-256 of the cookie is stored. */
@Entity('sessions')
export class SessionEntity extends InWorkspace {
  @PrimaryColumn('bytea')
  hash!: Buffer;

  @Column('text')
  userId!: string;

  @Column('text')
  browser!: string;

  @Column('timestamptz')
  createdAt!: Date;

  /** Accurate to the minute. */
  @Column('timestamptz')
  lastSeenAt!: Date;
}

/** A link that signs a user in once. Only the SHA-256 of the link's token is stored. */
@Entity('sign_in_links')
export class SignInLinkEntity extends InWorkspace {
  @PrimaryColumn('bytea')
  hash!: Buffer;

  @Column('text')
  userId!: string;

  @Column('timestamptz')
  expiresAt!: Date;
}

/** Counters of mails, forms and failed sign-ins. `rate-limiter-flexible` writes this table. */
@Entity('sign_in_failures')
export class SignInFailureEntity {
  @PrimaryColumn('text')
  key!: string;

  @Column('integer')
  points!: number;

  /** Milliseconds since 1970. */
  @Column('bigint')
  expire!: string;
}

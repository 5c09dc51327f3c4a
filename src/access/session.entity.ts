import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A browser in which a user is signed in. Of its cookie, only the SHA-256 is stored. */
@Entity('sessions')
export class SessionEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

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

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A browser in which a user is signed in. The value of its cookie is not stored, only its SHA-256. */
@Entity('sessions')
export class SessionEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('bytea')
  hash!: Buffer;

  @Column('text')
  userId!: string;

  /** The browser's description of itself. */
  @Column('text')
  browser!: string;

  @Column('timestamptz')
  createdAt!: Date;

  /** To the minute. */
  @Column('timestamptz')
  lastSeenAt!: Date;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A browser that a user is signed in with; what its cookie holds is nowhere, only the SHA-256 of it. */
@Entity('sessions')
export class SessionEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('bytea')
  hash!: Buffer;

  @Column('text')
  userId!: string;

  /** What the browser calls itself. */
  @Column('text')
  browser!: string;

  @Column('timestamptz')
  createdAt!: Date;

  /** To the minute. */
  @Column('timestamptz')
  lastSeenAt!: Date;
}

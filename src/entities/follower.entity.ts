import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How far something that reads the feed of a workspace has come. */
@Entity('followers')
export class FollowerEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  name!: string;

  /** What follows from all events up to here is written. */
  @Column('bigint')
  position!: string;

  /** How often the event behind the position has failed by a fault of its own. */
  @Column('integer')
  failures!: number;

  /** Counts the claims; who writes under an older one is refused. */
  @Column('integer')
  fence!: number;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;
}

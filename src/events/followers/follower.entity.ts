import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('followers')
export class FollowerEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  name!: string;

  /** The follower has processed all events up to this position. */
  @Column('bigint')
  position!: string;

  /** How often the next event has failed through its own fault. */
  @Column('integer')
  failures!: number;

  /** Counts the claims. Writes under an older number are rejected. */
  @Column('integer')
  fence!: number;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;
}

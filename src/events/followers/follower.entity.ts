import { Column, Entity, PrimaryColumn } from 'typeorm';
import { InWorkspace } from '../../common/database/in-workspace.js';

@Entity('followers')
export class FollowerEntity extends InWorkspace {
  @PrimaryColumn('text')
  name!: string;

  /** The follower has processed all events up to this position. */
  @Column('bigint')
  position!: string;

  /** How often the follower failed, or its process ended or hung, while it processed the next event. */
  @Column('integer')
  failures!: number;

  /** The number of claims. A write with an older number changes nothing. */
  @Column('integer')
  fence!: number;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;
}

@Entity('events_set_aside')
export class EventSetAsideEntity extends InWorkspace {
  @PrimaryColumn('text')
  follower!: string;

  @PrimaryColumn('bigint')
  eventPlace!: string;

  @Column('text')
  cause!: string;

  @Column('timestamptz')
  createdAt!: Date;
}

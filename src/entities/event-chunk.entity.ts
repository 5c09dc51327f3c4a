import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Events in the order of the feed: those up to this position. */
@Entity('event_chunks')
export class EventChunkEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('bigint')
  lastPosition!: string;

  @Column('bigint', { array: true })
  places!: string[];

  /** Random: tells these positions from the same in another line of history, as after a restore. */
  @Column('integer')
  tag!: number;
}

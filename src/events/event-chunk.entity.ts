import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Events in the order of the feed, up to this position. */
@Entity('event_chunks')
export class EventChunkEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('bigint')
  lastPosition!: string;

  @Column('bigint', { array: true })
  places!: string[];

  /** Random; distinguishes these positions from the same ones in another timeline, such as after a restore. */
  @Column('integer')
  tag!: number;
}

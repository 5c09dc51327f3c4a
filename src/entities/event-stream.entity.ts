import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How far the events of a workspace are numbered. */
@Entity('event_streams')
export class EventStreamEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @Column('bigint')
  lastPosition!: string;

  /** The snapshot of the last numbering: what it saw has a position. */
  @Column('text')
  seen!: string;

  /** Where that snapshot means anything. */
  @Column('text')
  cluster!: string;

  /** The last position that is no longer kept, and its tag. */
  @Column('bigint')
  droppedTo!: string;

  @Column('integer')
  droppedTag!: number;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('event_streams')
export class EventStreamEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @Column('bigint')
  lastPosition!: string;

  /** The snapshot of the last numbering. All events that it shows have positions. */
  @Column('text')
  seen!: string;

  /** The database cluster to which the snapshot belongs. */
  @Column('text')
  cluster!: string;

  /** The last position that was dropped, and its tag. */
  @Column('bigint')
  droppedTo!: string;

  @Column('integer')
  droppedTag!: number;
}

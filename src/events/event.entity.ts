import { Column, Entity, PrimaryColumn } from 'typeorm';
import { InWorkspace } from '../common/database/in-workspace.js';

/** A change, recorded in the transaction of the change. */
@Entity('events')
export class EventEntity extends InWorkspace {
  /** Grows in the order of the changes of one task. Across tasks, the order of the feed may differ. */
  @PrimaryColumn('bigint', { generated: 'identity' })
  place!: string;

  @Column('uuid')
  id!: string;

  /** The id of the transaction. */
  @Column('bigint')
  tx!: string;

  @Column('text')
  type!: string;

  @Column('timestamptz')
  happenedAt!: Date;

  /** The origin of the change: the text of an `Origin`. */
  @Column('text', { nullable: true })
  origin!: string | null;

  @Column('integer', { nullable: true })
  workflowId!: number | null;

  /** The internal id of the task. The public id, Unique ID and version are those after the event. */
  @Column('bigint', { nullable: true })
  taskId!: string | null;

  @Column('text', { nullable: true })
  publicId!: string | null;

  @Column('text', { nullable: true })
  uniqueValue!: string | null;

  @Column('bigint', { nullable: true })
  version!: string | null;

  /** The altered values before and after the change. A creation has no `…From`, a deletion no `…To`. */
  @Column('integer', { nullable: true })
  stageFrom!: number | null;

  @Column('integer', { nullable: true })
  stageTo!: number | null;

  @Column('text', { nullable: true })
  assigneeFrom!: string | null;

  @Column('text', { nullable: true })
  assigneeTo!: string | null;

  @Column('jsonb', { nullable: true })
  valuesFrom!: Readonly<Record<string, unknown>> | null;

  @Column('jsonb', { nullable: true })
  valuesTo!: Readonly<Record<string, unknown>> | null;

  /** The added and removed links. `side` is `>` or `<`, followed by the id of the relationship. */
  @Column('jsonb', { nullable: true })
  links!: readonly (readonly [side: string, isLinked: boolean, uniqueId: string | null])[] | null;

  /** The subject, such as a comment or a key. For a change of a task's Unique ID, the former Unique ID. */
  @Column('jsonb', { nullable: true })
  about!: Readonly<Record<string, unknown>> | null;

  /**
   * Whether the event records only links so far. If the same transaction changes the task later, this event
   * records that change, too.
   */
  @Column('boolean')
  isOpen!: boolean;
}

/** A chunk of the feed: the `place`s of successive events, of which the last has `lastPosition`. */
@Entity('event_chunks')
export class EventChunkEntity extends InWorkspace {
  @PrimaryColumn('bigint')
  lastPosition!: string;

  @Column('bigint', { array: true })
  places!: string[];

  /** A random number. If a restored database reuses a position, the tag differs: old cursors are refused. */
  @Column('integer')
  tag!: number;
}

@Entity('event_streams')
export class EventStreamEntity extends InWorkspace {
  @Column('bigint')
  lastPosition!: string;

  /** PostgreSQL's snapshot at the last numbering. Every event that the snapshot contains has a position. */
  @Column('text')
  seen!: string;

  /** The database cluster to which the snapshot belongs. */
  @Column('text')
  cluster!: string;

  /** The position of the last event that was dropped as too old. `droppedTag` is the tag of this position. */
  @Column('bigint')
  droppedTo!: string;

  @Column('integer')
  droppedTag!: number;
}

/** A deleted stage or workflow that older events refer to. */
@Entity('former_names')
export class FormerNameEntity extends InWorkspace {
  @PrimaryColumn('text')
  kind!: 'stage' | 'workflow';

  @PrimaryColumn('integer')
  id!: number;

  @Column('text')
  name!: string;

  /** Whether the stage was an end stage; null for a workflow. */
  @Column('boolean', { nullable: true })
  isEnd!: boolean | null;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One change of one thing, as triggers record it in the transaction of the change. */
@Entity('events')
export class EventEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  /** Counts up in the order of the changes of one task. Those of different tasks show in another order. */
  @PrimaryColumn('bigint', { generated: 'identity' })
  place!: string;

  @Column('uuid')
  id!: string;

  /** The transaction that made it. */
  @Column('bigint')
  tx!: string;

  @Column('text')
  type!: string;

  @Column('timestamptz')
  happenedAt!: Date;

  /** Where the change comes from: the text of an `Origin`. */
  @Column('text', { nullable: true })
  origin!: string | null;

  @Column('integer', { nullable: true })
  workflowId!: number | null;

  /** The task, its public id, its Unique ID and its version as they were then. */
  @Column('bigint', { nullable: true })
  taskId!: string | null;

  @Column('text', { nullable: true })
  publicId!: string | null;

  @Column('text', { nullable: true })
  uniqueValue!: string | null;

  @Column('bigint', { nullable: true })
  version!: string | null;

  /** What the change has altered, and nothing else: null before the creation and after the deletion of a task. */
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

  /** Sides of relationships, whether a task was linked there or unlinked, and the Unique ID of that task. */
  @Column('jsonb', { nullable: true })
  links!: readonly (readonly [side: string, isLinked: boolean, uniqueId: string | null])[] | null;

  /** The item, comment, execution or definition that it is about. */
  @Column('jsonb', { nullable: true })
  about!: Readonly<Record<string, unknown>> | null;

  /** Whether its transaction has so far changed links only, and may go on to change the task itself. */
  @Column('boolean')
  isOpen!: boolean;
}

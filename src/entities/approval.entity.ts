import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type ApprovalDecision, type ApprovalState } from './column-values.js';
import { type StaleColumn } from './json-columns.js';

/** What somebody has decided on an action of a task. */
@Entity('approvals')
export class ApprovalEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('bigint', { generated: 'identity' })
  id!: string;

  @Column('integer')
  workflowId!: number;

  @Column('bigint')
  taskId!: string;

  @Column('text')
  actionId!: string;

  /** The group that it is for; null of an override, which is of the whole action. */
  @Column('text', { nullable: true })
  groupId!: string | null;

  /** Who decided. */
  @Column('text')
  byId!: string;

  /** Who was away, where it was decided for them. */
  @Column('text', { nullable: true })
  forId!: string | null;

  @Column('text')
  decision!: ApprovalDecision;

  @Column('text', { nullable: true })
  comment!: string | null;

  /** The name of the key by which it came. */
  @Column('text', { nullable: true })
  via!: string | null;

  /** The parts of the task whose change ends it, as `changed_parts` calls them; `*` is all fields and sets of links. */
  @Column('text', { array: true })
  covers!: string[];

  @Column('timestamptz')
  decidedAt!: Date;

  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;

  @Column('text')
  state!: ApprovalState;

  /** Why it is stale. */
  @Column('jsonb', { nullable: true })
  because!: StaleColumn | null;

  /** When it became stale or expired. */
  @Column('timestamptz', { nullable: true })
  markedAt!: Date | null;

  /** What it was told to complete, or to reject, in this state of the task. */
  @Column('text', { array: true })
  tells!: string[];

  /** Whether its action has succeeded since. */
  @Column('boolean')
  isPast!: boolean;
}

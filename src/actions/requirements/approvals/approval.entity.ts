import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type ApprovalDecision, type ApprovalState } from '../../../common/column-values.js';
import { type StaleColumn } from '../../../common/database/json-columns.js';
import { InWorkflow, InWorkspace } from '../../../common/database/in-workspace.js';

@Entity('approvals')
export class ApprovalEntity extends InWorkspace {
  @PrimaryColumn('bigint', { generated: 'identity' })
  id!: string;

  @Column('integer')
  workflowId!: number;

  @Column('bigint')
  taskId!: string;

  @Column('text')
  actionId!: string;

  @Column('text')
  groupId!: string;

  @Column('text')
  byId!: string;

  /** The absent user for whom a deputy decided. */
  @Column('text', { nullable: true })
  forId!: string | null;

  @Column('text')
  decision!: ApprovalDecision;

  @Column('text', { nullable: true })
  comment!: string | null;

  /** The name of the API key that sent the decision; null if the user was signed in. */
  @Column('text', { nullable: true })
  via!: string | null;

  /**
   * The parts whose change ends the approval, named as in `changed_parts`. `*` means the Unique ID, all
   * fields and files, and the set of linked tasks.
   */
  @Column('text', { array: true })
  covers!: string[];

  @Column('timestamptz')
  decidedAt!: Date;

  @Column('text')
  state!: ApprovalState;

  @Column('jsonb', { nullable: true })
  because!: StaleColumn | null;

  /** The later of two times: the withdrawal, and the last change of the stage or of a covered part. */
  @Column('timestamptz', { nullable: true })
  markedAt!: Date | null;

  /**
   * What this decision has reported in events: a completion or a rejection. Emptied if the stage or a covered
   * part changes.
   */
  @Column('text', { array: true })
  tells!: string[];

  /** Whether the action has succeeded since this decision. */
  @Column('boolean')
  isPast!: boolean;
}

/** When the action last succeeded on the task. `not: editors` excludes only users who made later changes. */
@Entity('approval_rounds')
export class ApprovalRoundEntity extends InWorkflow {
  @PrimaryColumn('bigint')
  taskId!: string;

  @PrimaryColumn('text')
  actionId!: string;

  @Column('timestamptz')
  succeededAt!: Date;
}

/** A user who changed a part of a task, and the time of the last change. The part `+` is the creation. */
@Entity('task_editors')
export class TaskEditorEntity extends InWorkflow {
  @PrimaryColumn('bigint')
  taskId!: string;

  /** A field, a side of a relationship or another part, by its name in `changed_parts`. */
  @PrimaryColumn('text')
  part!: string;

  @PrimaryColumn('text')
  userId!: string;

  @Column('timestamptz')
  editedAt!: Date;
}

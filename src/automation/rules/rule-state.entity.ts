import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The state of a rule besides its definition. */
@Entity('rule_states')
export class RuleStateEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('text')
  ruleId!: string;

  /** The rule ignores earlier events. */
  @Column('timestamptz')
  beginsAt!: Date;

  /** The rule starts after the event with this place, whenever that happened; null in states of an earlier version. */
  @Column('bigint', { nullable: true })
  beginsBehind!: string | null;

  @Column('boolean')
  isPaused!: boolean;

  /** The last part of its hook's URL; null until the URL is first requested. */
  @Column('text', { nullable: true })
  hookToken!: string | null;
}

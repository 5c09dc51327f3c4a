import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('rule_states')
export class RuleStateEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('text')
  ruleId!: string;

  /** Events before this time do not trigger the rule. */
  @Column('timestamptz')
  beginsAt!: Date;

  /** Only events after this place trigger the rule, whenever they happened; null in states of an earlier version. */
  @Column('bigint', { nullable: true })
  beginsBehind!: string | null;

  @Column('boolean')
  isPaused!: boolean;

  /** The last part of its hook's URL; null until the URL is first requested. */
  @Column('text', { nullable: true })
  hookToken!: string | null;
}

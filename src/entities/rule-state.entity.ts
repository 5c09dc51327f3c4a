import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What is known of a rule beside its definition. */
@Entity('rule_states')
export class RuleStateEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('text')
  ruleId!: string;

  /** The rule judges no event from before. */
  @Column('timestamptz')
  beginsAt!: Date;

  /** The place of the last event before it, by which it begins whatever the clock of the machine says; null of one from an earlier version. */
  @Column('bigint', { nullable: true })
  beginsBehind!: string | null;

  @Column('boolean')
  isPaused!: boolean;

  /** What the URL of its hook ends in; null until somebody asks for it. */
  @Column('text', { nullable: true })
  hookToken!: string | null;
}

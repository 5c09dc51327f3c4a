import { Column, Entity, PrimaryColumn } from 'typeorm';
import { InWorkflow } from '../../common/database/in-workspace.js';

@Entity('rule_states')
export class RuleStateEntity extends InWorkflow {
  @PrimaryColumn('text')
  ruleId!: string;

  /** Only events after this place in the log of events trigger the rule. */
  @Column('bigint')
  beginsBehind!: string;

  @Column('boolean')
  isPaused!: boolean;

  /** The last segment of the URL of a rule with `on: hook`. */
  @Column('text')
  hookToken!: string;
}

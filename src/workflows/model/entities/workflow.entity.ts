import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ListedInWorkspace } from './listed.js';
import { type FurtherSettings } from '../../../common/database/json-columns.js';

@Entity('workflows')
export class WorkflowEntity extends ListedInWorkspace {
  @PrimaryColumn('integer', { generated: 'identity' })
  id!: number;

  /** The id in the definition and in paths. */
  @Column('text')
  slug!: string;

  @Column('text')
  name!: string;

  @Column('boolean', { default: false })
  search!: boolean;

  /** The lists in the workflow's definition that have no table of their own. */
  @Column('json')
  settings!: FurtherSettings;

  /** The time since which changes of tasks are recorded for approvals; null if no approval needs them. */
  @Column({ type: 'timestamptz', nullable: true, select: false, insert: false, update: false })
  approvalsSince!: Date | null;
}

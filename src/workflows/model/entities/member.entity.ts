import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ListedInWorkflow } from './listed.js';

/** The roles that a user holds in a workflow. */
@Entity('members')
export class MemberEntity extends ListedInWorkflow {
  @PrimaryColumn('text')
  userId!: string;

  /** The id of the first role. */
  @Column('text')
  roleId!: string;

  /** The ids of the other roles. */
  @Column('text', { array: true, default: [] })
  furtherRoleIds!: string[];
}

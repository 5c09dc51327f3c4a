import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The roles that a user holds in a workflow. */
@Entity('members')
export class MemberEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('text')
  userId!: string;

  /** The id of the first role. */
  @Column('text')
  roleId!: string;

  /** The ids of the other roles. */
  @Column('text', { array: true, default: [] })
  furtherRoleIds!: string[];

  @Column('integer')
  position!: number;
}

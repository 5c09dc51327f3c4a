import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The one role that a user holds in a workflow. */
@Entity('members')
export class MemberEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('text')
  userId!: string;

  @Column('text')
  roleId!: string;

  @Column('integer')
  position!: number;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('roles')
export class RoleEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  /** The id that people chose. */
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  name!: string;

  @Column('boolean')
  isAdmin!: boolean;

  /** Ids of the actions that its holders may perform. */
  @Column('text', { array: true })
  actions!: string[];

  @Column('text')
  sees!: 'all' | 'assigned';

  @Column('integer')
  position!: number;
}

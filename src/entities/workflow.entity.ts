import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('workflows')
export class WorkflowEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer', { generated: 'identity' })
  id!: number;

  /** The id that people chose, the one in paths. */
  @Column('text')
  slug!: string;

  @Column('text')
  name!: string;

  /** Whether its tasks can be searched by words. */
  @Column('boolean', { default: false })
  search!: boolean;

  @Column('integer')
  position!: number;
}

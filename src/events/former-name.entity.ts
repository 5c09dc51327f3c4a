import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The former name of a stage, or id of a workflow, which older events still need. */
@Entity('former_names')
export class FormerNameEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  kind!: 'stage' | 'workflow';

  @PrimaryColumn('integer')
  id!: number;

  @Column('text')
  name!: string;

  /** Whether it was an end stage; null for a workflow. */
  @Column('boolean', { nullable: true })
  isEnd!: boolean | null;
}

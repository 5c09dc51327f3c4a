import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The name of a stage, or the id in paths of a workflow, that the definition no longer has: events tell of it still. */
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
}

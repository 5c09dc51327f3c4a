import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A board or list that a user has saved under a name. */
@Entity('personal_views')
export class PersonalViewEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text', { generated: true })
  id!: string;

  @Column('text')
  userId!: string;

  @Column('integer')
  workflowId!: number;

  @Column('text')
  name!: string;

  /** The kind of page. */
  @Column('text', { name: 'shown_as' })
  as!: 'board' | 'list';

  /** The query of the page, with its columns under `_fields`. */
  @Column('text')
  query!: string;
}

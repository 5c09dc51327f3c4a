import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ListedInWorkspace } from './listed.js';
import { type RelationshipKind, type WayOfChange } from '../../fields/task-schema.js';

@Entity('relationships')
export class RelationshipEntity extends ListedInWorkspace {
  @PrimaryColumn('text')
  id!: string;

  /** If it is `one_to_many`, one task at `from` has many tasks at `to`. */
  @Column('text')
  kind!: RelationshipKind;

  @Column('integer')
  fromWorkflowId!: number;

  @Column('text')
  fromName!: string;

  /** How the links of tasks at `from` may be changed. */
  @Column('text')
  fromChange!: WayOfChange;

  @Column('integer')
  toWorkflowId!: number;

  @Column('text')
  toName!: string;

  @Column('text')
  toChange!: WayOfChange;
}

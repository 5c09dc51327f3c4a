import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type RelationshipKind, type WayOfChange } from './column-values.js';

/** A kind of link between the tasks of two workflows, or of one with itself. */
@Entity('relationships')
export class RelationshipEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  /** The id that people chose. */
  @PrimaryColumn('text')
  id!: string;

  /** Read from `from` to `to`. */
  @Column('text')
  kind!: RelationshipKind;

  @Column('integer')
  fromWorkflowId!: number;

  @Column('text')
  fromName!: string;

  /** Who changes the links of the tasks at `from`. */
  @Column('text')
  fromChange!: WayOfChange;

  @Column('integer')
  toWorkflowId!: number;

  @Column('text')
  toName!: string;

  @Column('text')
  toChange!: WayOfChange;

  @Column('integer')
  position!: number;
}

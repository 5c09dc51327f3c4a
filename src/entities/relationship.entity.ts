import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type RelationshipKind } from './column-values.js';

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

  @Column('integer')
  toWorkflowId!: number;

  @Column('text')
  toName!: string;

  @Column('integer')
  position!: number;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type RelationshipKind } from './column-values.js';

/** Two tasks that belong together. */
@Entity('links')
export class LinkEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  relationshipId!: string;

  /** The relationship's, repeated here for the indexes that keep its single sides single. */
  @Column('text')
  kind!: RelationshipKind;

  @Column('integer')
  fromWorkflowId!: number;

  @PrimaryColumn('bigint')
  fromId!: string;

  @Column('integer')
  toWorkflowId!: number;

  @PrimaryColumn('bigint')
  toId!: string;
}

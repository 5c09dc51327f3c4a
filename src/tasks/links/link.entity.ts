import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type RelationshipKind } from '../../workflows/fields/task-schema.js';
import { InWorkspace } from '../../common/database/in-workspace.js';

@Entity('links')
export class LinkEntity extends InWorkspace {
  @PrimaryColumn('text')
  relationshipId!: string;

  /** The kind of the relationship. Unique indexes use it, because some kinds allow only one link per task. */
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

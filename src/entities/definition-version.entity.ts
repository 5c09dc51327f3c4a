import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type ChangeColumn } from './json-columns.js';

/** A definition of a workspace that is or was in force. */
@Entity('definition_versions')
export class DefinitionVersionEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  /** What `workspaces.version` was from then on. */
  @PrimaryColumn('integer')
  version!: number;

  @Column('timestamptz')
  appliedAt!: Date;

  /** The user of the operating system, or the migration. */
  @Column('text')
  appliedBy!: string;

  /** How it differs from the version before. */
  @Column('json')
  changes!: ChangeColumn[];

  /** All of it. */
  @Column('json')
  definition!: object;
}

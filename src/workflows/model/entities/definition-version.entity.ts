import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type ChangeColumn } from '../../../common/database/json-columns.js';
import { InWorkspace } from '../../../common/database/in-workspace.js';

/** A present or former definition of a workspace. */
@Entity('definition_versions')
export class DefinitionVersionEntity extends InWorkspace {
  /** While this definition is in force, `workspaces.version` has this value. */
  @PrimaryColumn('integer')
  version!: number;

  @Column('timestamptz')
  appliedAt!: Date;

  /** Who applied the definition, such as an API key, a user of the operating system or a migration. */
  @Column('text')
  appliedBy!: string;

  /** The differences from the previous version. */
  @Column('json')
  changes!: ChangeColumn[];

  @Column('json')
  definition!: object;
}

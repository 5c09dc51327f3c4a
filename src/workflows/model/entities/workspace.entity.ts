import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type FurtherSettings } from '../../../common/database/json-columns.js';

/** A tenant. Each apply that changes the definition increases `version` by 1. */
@Entity('workspaces')
export class WorkspaceEntity {
  @PrimaryColumn('integer', { generated: 'identity' })
  id!: number;

  /** The id in the definition. */
  @Column('text')
  slug!: string;

  @Column('text')
  name!: string;

  @Column('text')
  timezone!: string;

  @Column('integer')
  version!: number;

  /**
   * The parts of the workspace's definition that have no table of their own: calendars, views and the
   * defaults of notifications.
   */
  @Column('json')
  settings!: FurtherSettings;

  /** The key that seals the workspace's cursors; never leaves the service. */
  @Column({ type: 'bytea', insert: false, update: false })
  cursorKey!: Buffer;
}

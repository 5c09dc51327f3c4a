import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type FurtherSettings } from './json-columns.js';

/** A tenant: its definition's version counts every applied change. */
@Entity('workspaces')
export class WorkspaceEntity {
  @PrimaryColumn('integer', { generated: 'identity' })
  id!: number;

  /** The id that people chose. */
  @Column('text')
  slug!: string;

  @Column('text')
  name!: string;

  @Column('text')
  timezone!: string;

  @Column('integer')
  version!: number;

  /** What of its definition has no table of its own: its calendars, its views, and where users are told of what. */
  @Column('json')
  settings!: FurtherSettings;

  /** The key of its cursors; never leaves the service. */
  @Column({ type: 'bytea', insert: false, update: false })
  cursorKey!: Buffer;
}

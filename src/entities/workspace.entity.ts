import { Column, Entity, PrimaryColumn } from 'typeorm';

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

  /** The key of its cursors; never leaves the service. */
  @Column({ type: 'bytea', insert: false, update: false })
  cursorKey!: Buffer;
}

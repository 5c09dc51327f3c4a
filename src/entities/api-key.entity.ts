import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type KeyScope } from './column-values.js';

/** A workspace's API key; the key itself is nowhere, only its SHA-256. */
@Entity('api_keys')
export class ApiKeyEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  id!: string;

  @Column('bytea')
  hash!: Buffer;

  @Column('text')
  name!: string;

  @Column('text')
  scope!: KeyScope;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;

  /** The day (UTC) of its last use. */
  @Column('date', { nullable: true })
  lastUsedOn!: string | null;

  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type KeyScope, type Narrowing } from './column-values.js';

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

  /** The user as whom it acts, if it acts as one. */
  @Column('text', { nullable: true })
  userId!: string | null;

  @Column('jsonb', { nullable: true })
  narrowing!: Narrowing | null;

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

import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type KeyScope, type Narrowing } from '../common/column-values.js';
import { InWorkspace } from '../common/database/in-workspace.js';

/** An API key of a workspace. Only the SHA-256 of the key is stored. */
@Entity('api_keys')
export class ApiKeyEntity extends InWorkspace {
  @PrimaryColumn('text')
  id!: string;

  @Column('bytea')
  hash!: Buffer;

  @Column('text')
  name!: string;

  @Column('text')
  scope!: KeyScope;

  /** The user that the key acts as; null if the key acts as itself. */
  @Column('text', { nullable: true })
  userId!: string | null;

  @Column('jsonb', { nullable: true })
  narrowing!: Narrowing | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;

  /** The last day on which the key was used, in UTC. */
  @Column('date', { nullable: true })
  lastUsedOn!: string | null;

  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;
}

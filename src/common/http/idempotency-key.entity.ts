import { Column, Entity, PrimaryColumn } from 'typeorm';
import { InWorkspace } from '../database/in-workspace.js';

/** The idempotency key of a request, and the answer for repetitions. */
@Entity('idempotency_keys')
export class IdempotencyKeyEntity extends InWorkspace {
  @PrimaryColumn('text')
  key!: string;

  /** The SHA-256 of the request. */
  @Column('bytea')
  fingerprint!: Buffer;

  @Column('json', { nullable: true })
  answer!: unknown;

  @Column('timestamptz')
  createdAt!: Date;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The idempotency key of a request, and the answer for repetitions. */
@Entity('idempotency_keys')
export class IdempotencyKeyEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  key!: string;

  /** The SHA-256 of the request. */
  @Column('bytea')
  fingerprint!: Buffer;

  @Column('json', { nullable: true })
  answer!: unknown;

  /** The last event of the request; null if it changed nothing. */
  @Column('uuid', { nullable: true })
  lastEvent!: string | null;

  @Column('timestamptz')
  createdAt!: Date;
}

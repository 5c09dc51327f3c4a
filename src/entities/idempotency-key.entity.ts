import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A key that a client gave a request, and the answer that a repetition gets. */
@Entity('idempotency_keys')
export class IdempotencyKeyEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('text')
  key!: string;

  /** SHA-256 of what was asked. */
  @Column('bytea')
  fingerprint!: Buffer;

  @Column('json', { nullable: true })
  answer!: unknown;

  /** The last event that the request has made. */
  @Column('uuid', { nullable: true })
  lastEvent!: string | null;

  @Column('timestamptz')
  createdAt!: Date;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type EventType, type WebhookContent, type WebhookState } from './column-values.js';

/** Who is told of which events, and how far they have been. */
@Entity('webhooks')
export class WebhookEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  /** The id that people chose, or a random one. */
  @PrimaryColumn('text')
  id!: string;

  /** Whether the definition has it, or a program that subscribed by itself. */
  @Column('text')
  managedBy!: 'api' | 'definition';

  /** In the definition. */
  @Column('integer')
  position!: number;

  @Column('text')
  url!: string;

  /** Where it leads: what stands there is one receiver. */
  @Column('text')
  origin!: string;

  @Column('text', { array: true })
  events!: EventType[];

  /** By the ids in paths; null is any. */
  @Column('text', { array: true, nullable: true })
  workflows!: string[] | null;

  /** The keys of which one must have changed; null where any may. */
  @Column('text', { array: true, nullable: true })
  fields!: string[] | null;

  @Column('text', { nullable: true })
  condition!: string | null;

  @Column('text')
  content!: WebhookContent;

  @Column('json')
  headers!: Record<string, string>;

  @Column('text')
  state!: WebhookState;

  /** The first failure after which nothing has succeeded. */
  @Column('timestamptz', { nullable: true })
  failingSince!: Date | null;

  /** All events of the feed up to here were looked at. */
  @Column('bigint')
  feedPosition!: string;

  /** What happened before is not told. */
  @Column('timestamptz')
  beginsAt!: Date;

  /** Signs the deliveries. Only its own statements read it. */
  @Column('bytea', { select: false })
  secret!: Buffer;

  /** What was the secret before, and until when it signs as well. */
  @Column('bytea', { nullable: true, select: false })
  formerSecret!: Buffer | null;

  @Column('timestamptz', { nullable: true, select: false })
  formerSecretUntil!: Date | null;
}

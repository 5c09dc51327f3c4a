import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type MessageKind, type MessageState } from './column-values.js';
import { type AttachedFile, type FilledText } from './json-columns.js';

/** A message that an execution has left to be sent, and what became of it. */
@Entity('messages')
export class MessageEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  /** Counts up in the order of creation. */
  @PrimaryColumn('bigint', { generated: 'identity' })
  place!: string;

  /** Random, so that it tells nothing. */
  @Column('text')
  id!: string;

  @Column('text')
  kind!: MessageKind;

  /** An e-mail address, or the id of a channel. */
  @Column('text')
  recipient!: string;

  @Column('text', { nullable: true })
  replyTo!: string | null;

  /** Of mail. */
  @Column('text', { nullable: true })
  subject!: string | null;

  /** A text whose values are told apart from the words of the definition, so that they stay values. */
  @Column('json')
  body!: FilledText;

  /** The files that go with a mail; their blobs are kept until it is sent. */
  @Column('jsonb', { nullable: true })
  attachments!: readonly AttachedFile[] | null;

  @Column('integer')
  workflowId!: number;

  /** The task may have been deleted, so it is known by these, too. */
  @Column('bigint')
  taskId!: string;

  @Column('text', { nullable: true })
  uniqueValue!: string | null;

  @Column('text')
  taskUrl!: string;

  /** The execution and the place of its step. */
  @Column('text')
  executionId!: string;

  @Column('integer')
  step!: number;

  /** What events tell of where it comes from. */
  @Column('text', { nullable: true })
  origin!: string | null;

  @Column('text')
  state!: MessageState;

  @Column('integer')
  tries!: number;

  /** Why the last try failed: a message as `keptText` writes it. */
  @Column('text', { nullable: true })
  cause!: string | null;

  /** Whether a try has come so far that it may have been sent, and nobody has written down yet what came of that. */
  @Column('boolean')
  isInDoubt!: boolean;

  @Column('timestamptz', { nullable: true })
  nextAt!: Date | null;

  /** Counts the claims; who writes under an older one is refused. */
  @Column('integer')
  fence!: number;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  finishedAt!: Date | null;
}

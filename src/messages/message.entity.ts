import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type MessageKind, type MessageState } from '../common/column-values.js';
import { type AttachedFile } from '../common/database/json-columns.js';
import { type FilledText } from '../workflows/expressions/template.js';
import { InWorkspace } from '../common/database/in-workspace.js';

@Entity('messages')
export class MessageEntity extends InWorkspace {
  /** Increases in the order of creation. */
  @PrimaryColumn('bigint', { generated: 'identity' })
  place!: string;

  /** Random, so that the id does not reveal how many messages exist. */
  @Column('text')
  id!: string;

  @Column('text')
  kind!: MessageKind;

  /** An e-mail address, or the id of a channel. */
  @Column('text')
  recipient!: string;

  @Column('text', { nullable: true })
  replyTo!: string | null;

  /** The subject of a mail; null for a post. */
  @Column('text', { nullable: true })
  subject!: string | null;

  /** Filled-in values are parts of their own, so that they are never parsed as markup. */
  @Column('json')
  body!: MessageBody;

  /** The attachments of a mail. Their blobs are kept until the mail is sent or deleted. */
  @Column('jsonb', { nullable: true })
  attachments!: readonly AttachedFile[] | null;

  @Column('integer')
  workflowId!: number;

  /** If the task has been deleted, `uniqueValue` and `taskUrl` still identify the task. */
  @Column('bigint')
  taskId!: string;

  @Column('text', { nullable: true })
  uniqueValue!: string | null;

  @Column('text')
  taskUrl!: string;

  @Column('text')
  executionId!: string;

  /** The index of the step in the action. */
  @Column('integer')
  step!: number;

  @Column('text', { nullable: true })
  origin!: string | null;

  @Column('text')
  state!: MessageState;

  @Column('integer')
  tries!: number;

  /** Why the last try failed, as `keptText` writes it. */
  @Column('text', { nullable: true })
  cause!: string | null;

  /** Whether a try may have sent the message without recording a result. */
  @Column('boolean')
  isInDoubt!: boolean;

  @Column('timestamptz', { nullable: true })
  nextAt!: Date | null;

  /** The number of claims. Writes with an older number are rejected. */
  @Column('integer')
  fence!: number;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  finishedAt!: Date | null;
}

/** The parts of a text. When the message is sent, its token is appended to the URL in each `link`. */
export type MessageBody = readonly (FilledText[number] | { readonly link: string })[];

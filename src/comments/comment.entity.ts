import { Column, Entity, PrimaryColumn } from 'typeorm';
import { InWorkflow } from '../common/database/in-workspace.js';

@Entity('comments')
export class CommentEntity extends InWorkflow {
  @PrimaryColumn('bigint')
  taskId!: string;

  /** Grows in the order of creation. The API never returns it. */
  @PrimaryColumn('bigint', { generated: 'identity' })
  id!: string;

  /** Null if the author is not a user. */
  @Column('text', { nullable: true })
  authorId!: string | null;

  /** The starter of the action that wrote the comment, such as `rule hand-over`; null for other comments. */
  @Column('text', { nullable: true })
  saidBy!: string | null;

  @Column('text')
  body!: string;

  /** Maps the lower-case address of a mentioned user to the user's id. */
  @Column('jsonb', { nullable: true })
  mentions!: Readonly<Record<string, string>> | null;

  @Column('timestamptz')
  createdAt!: Date;
}

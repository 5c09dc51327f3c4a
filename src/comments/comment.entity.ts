import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('comments')
export class CommentEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('bigint')
  taskId!: string;

  /** Grows in the order of creation; never leaves the service. */
  @PrimaryColumn('bigint', { generated: 'identity' })
  id!: string;

  /** Null if no user was named. */
  @Column('text', { nullable: true })
  authorId!: string | null;

  /** The author, if that is not a user: the starter of the action whose step wrote it, such as `rule hand-over`. */
  @Column('text', { nullable: true })
  saidBy!: string | null;

  @Column('text')
  body!: string;

  /** The ids of mentioned users, by the address after the @ in lower case. */
  @Column('jsonb', { nullable: true })
  mentions!: Readonly<Record<string, string>> | null;

  @Column('timestamptz')
  createdAt!: Date;
}

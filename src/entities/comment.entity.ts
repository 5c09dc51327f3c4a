import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What somebody said about a task. */
@Entity('comments')
export class CommentEntity {
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn('integer')
  workflowId!: number;

  @PrimaryColumn('bigint')
  taskId!: string;

  /** Counts up in the order of creation; never leaves the service. */
  @PrimaryColumn('bigint', { generated: 'identity' })
  id!: string;

  /** Null where no user was named. */
  @Column('text', { nullable: true })
  authorId!: string | null;

  /** What said it where no user did: what started the action of a step, such as `rule hand-over`. */
  @Column('text', { nullable: true })
  saidBy!: string | null;

  @Column('text')
  body!: string;

  /** The ids of the users whom it mentions, by the addresses behind an @ in its text, in lower case. */
  @Column('jsonb', { nullable: true })
  mentions!: Readonly<Record<string, string>> | null;

  @Column('timestamptz')
  createdAt!: Date;
}

import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { type CommentEntity } from './comment.entity.js';
import { IsFilled, readPayload, telling } from '../common/http/read-dto.js';
import { IsString } from 'class-validator';
import { Invalid } from '../workflows/fields/invalid.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { keepText } from '../workflows/fields/text-rules.js';
import { person } from '../workflows/fields/types/person.js';
import { mentionsIn } from './mentions.js';
import { type Message } from '../common/message.js';
import { type TaskEntity } from '../tasks/store/task.entity.js';
import { edits, sees } from '../workflows/model/allowed.js';
import { notYou } from '../access/users.service.js';
import { userOf, type Scope } from '../workflows/model/scope.js';
import { type Workflow } from '../workflows/model/workspace.js';

export class Comment {
  @ApiProperty({ description: 'An e-mail, the starter of an action (`rule hand-over`), or `API`.' })
  readonly author!: string;

  @ApiProperty({ description: 'The text.' })
  readonly body!: string;

  @ApiProperty({ format: 'date-time', description: 'When the comment was written.' })
  readonly timestamp!: string;

  @ApiPropertyOptional({ type: [String], description: 'Only after a POST: addresses that mention nobody.' })
  readonly not_mentioned?: readonly string[];
}

@ApiSchema({ name: 'NewComment' })
export class CommentPayload {
  @ApiProperty({
    minLength: 1,
    maxLength: 10_000,
    description: '`@` before an e-mail address mentions that user.',
  })
  @IsString(telling('is not a text'))
  @IsFilled()
  readonly body?: string;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'The e-mail of the author.' })
  readonly performed_by: unknown;
}

export interface StoredComment extends Readonly<Pick<CommentEntity, 'body' | 'createdAt'>> {
  readonly author: string | null;
}

/** Serializes a comment. If `author` is null, a program wrote the comment, and the API shows `API`. */
export function serializeComment({ author, body, createdAt }: StoredComment): Comment {
  return { author: author ?? 'API', body, timestamp: createdAt.toISOString() };
}

/** A new comment. `authorId` is null if the author is not a user. */
export type NewComment = Readonly<Pick<CommentEntity, 'authorId' | 'body' | 'saidBy' | 'mentions'>>;

/** Parses the payload of a comment; throws all errors at once. */
export function parseComment(
  scope: Scope,
  payload: JsonObject,
  task: Pick<TaskEntity, 'assigneeId'>,
): NewComment {
  const { users } = scope.workflow.schema;
  const { value, errors } = readPayload(CommentPayload, payload, 'a comment');
  const accepted = <T>(name: string, read: T | Invalid): T | undefined => {
    if (!(read instanceof Invalid)) return read;
    errors.add(name, read.said);
    return undefined;
  };
  const body = accepted('body', keepText(value.body ?? '', 10_000, controlButBreaks));
  const performer = payload.get('performed_by') ?? null;
  const viewer = userOf(scope)?.id ?? null;
  const named = performer === null ? viewer : accepted('performed_by', person.parse(performer, { users }));
  const authorId = typeof named === 'string' ? named : null;
  if (viewer !== null && authorId !== null && authorId !== viewer) errors.add('performed_by', notYou);
  const barred = viewer === null && authorId !== null && whyNoComment(scope.workflow, authorId, task);
  if (barred) errors.add('performed_by', barred);
  errors.throwIfAny();
  const mentions = mentionsIn(body ?? '', scope.workflow, task);
  return { authorId, body: body ?? '', saidBy: null, mentions };
}

function whyNoComment(
  { id, permissions: roles }: Workflow,
  userId: string,
  task: Pick<TaskEntity, 'assigneeId'>,
): Message | undefined {
  const permissions = roles.permissionsOf(userId, id);
  if (!sees(permissions, userId, task)) return 'cannot comment on this task, which they may not see';
  return edits(permissions, userId, task)
    ? undefined
    : 'cannot comment on this task, which they may not edit';
}

const controlButBreaks = /(?![\t\n\r])\p{Control}/u;

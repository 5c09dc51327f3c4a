import { type CommentEntity } from '../entities/comment.entity.js';
import { Described, propertyNamesOf } from '../lib/described.js';
import { instant, maybeText, textSchema } from '../openapi/vocabulary.js';
import { FieldErrors } from '../lib/field-errors.js';
import { Invalid } from '../schema/invalid.js';
import { type Json, type JsonObject } from '../../packages/exact-json/json.js';
import { keepText } from '../schema/text-rules.js';
import { person } from '../schema/types/person.js';
import { type TaskEntity } from '../entities/task.entity.js';
import { edits, sees } from '../workspace/allowed.js';
import { notYou } from '../workspace/workspaces.js';
import { userOf, type Scope } from '../workspace/scope.js';
import { type Workflow } from '../workspace/workspace.js';

/** A comment as the API shows it. */
export class Comment {
  @Described(textSchema('The e-mail of a user, or `API`.'))
  readonly author!: string;

  @Described(textSchema('What was said.'))
  readonly body!: string;

  @Described(instant('When it was said.'))
  readonly timestamp!: string;
}

/** What the payload of a comment may hold. */
export class CommentPayload {
  @Described({ type: 'string', minLength: 1, maxLength: 10_000 })
  readonly body: unknown;

  @Described(maybeText('The e-mail of the user who says it; without it, `API` does.'), { optional: true })
  readonly performed_by: unknown;
}

/** A comment as it is stored, with the e-mail of its author. */
export interface StoredComment extends Readonly<Pick<CommentEntity, 'body' | 'createdAt'>> {
  readonly author: string | null;
}

/** Writes a comment; what no user has said was said by a program. */
export function serializeComment({ author, body, createdAt }: StoredComment): Comment {
  return { author: author ?? 'API', body, timestamp: createdAt.toISOString() };
}

/** What somebody says; nobody in particular where `authorId` is null. */
export type NewComment = Readonly<Pick<CommentEntity, 'authorId' | 'body'>>;

/** Reads the payload of a comment; throws every refusal at once. */
export function parseComment(
  scope: Scope,
  payload: JsonObject,
  task: Pick<TaskEntity, 'assigneeId'>,
): NewComment {
  const { users } = scope.workflow.schema;
  const errors = new FieldErrors();
  for (const name of payload.keys())
    if (!names.includes(name)) errors.add(name, 'is not a field of a comment');
  const accepted = <T>(name: string, read: T | Invalid): T | undefined => {
    if (!(read instanceof Invalid)) return read;
    errors.add(name, read.said);
    return undefined;
  };
  const body = accepted('body', parseBody(payload.get('body') ?? ''));
  const performer = payload.get('performed_by') ?? null;
  const viewer = userOf(scope)?.id ?? null;
  const named = performer === null ? viewer : accepted('performed_by', person.parse(performer, { users }));
  const authorId = typeof named === 'string' ? named : null;
  if (viewer !== null && authorId !== null && authorId !== viewer) errors.add('performed_by', notYou);
  if (viewer === null && authorId !== null && !mayComment(scope.workflow, authorId, task))
    errors.add('performed_by', 'may not comment on this task');
  errors.throwIfAny();
  return { authorId, body: body ?? '' };
}

/** Whether a user whom a key names could comment on the task themselves. */
function mayComment(
  { id, permissions: roles }: Workflow,
  userId: string,
  task: Pick<TaskEntity, 'assigneeId'>,
): boolean {
  const permissions = roles.permissionsOf(userId, id);
  return sees(permissions, userId, task) && edits(permissions, userId, task);
}

const names = propertyNamesOf(CommentPayload);

function parseBody(input: Json): string | Invalid {
  if (input === '') return new Invalid('is required');
  if (typeof input !== 'string') return new Invalid('is not a text');
  return keepText(input, 10_000, controlButBreaks);
}

const controlButBreaks = /(?![\t\n\r])\p{Control}/u;

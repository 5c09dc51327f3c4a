import { type EntityManager } from 'typeorm';
import { createHash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { type Request } from 'express';
import { sql } from '../database/sql.js';
import { type IdempotencyKeyEntity } from './idempotency-key.entity.js';
import { Refusal } from '../errors.js';
import { isJsonList, type Json, type JsonObject, NumberLiteral } from '../../../packages/exact-json/json.js';
import { describing } from '../openapi/answers.js';

/** A request that its client may repeat without a second effect. */
export type IdempotentRequest = Readonly<Pick<IdempotencyKeyEntity, 'workspaceId' | 'key' | 'fingerprint'>>;

/**
 * Runs the work once for all requests with the same key within 24 h. Later and simultaneous requests get the
 * same answer, which must be JSON. The transaction of the work stores the key, so that a failed request can
 * be repeated. Refuses a key that was used for another request (409). Without a key, always runs the work.
 */
export async function once<Answer>(
  tx: EntityManager,
  request: IdempotentRequest | undefined,
  work: () => Promise<Answer>,
): Promise<Answer> {
  if (!request) return work();
  const { workspaceId, key, fingerprint } = request;
  const [known] = await sql<Known<Answer>>(tx, claim, [workspaceId, key, fingerprint]);
  if (!known?.fingerprint.equals(fingerprint)) throw usedOtherwise();
  if (known.answer !== null) return known.answer;
  const answer = await work();
  await sql(tx, keep, [workspaceId, key, JSON.stringify(answer)]);
  return answer;
}

/** Like `once`, but refuses a request (409) while another request with the same key is being answered. */
export async function onceAtATime<Answer>(
  tx: EntityManager,
  request: IdempotentRequest,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const [lock] = await sql<{ isFree: boolean }>(tx, tryLock, [request.workspaceId, request.key]);
  if (!lock?.isFree)
    throw new Refusal(
      'idempotency-key-in-use',
      'The first request with this Idempotency-Key is still being answered.',
    );
  return once(tx, request, work);
}

/** Whether any request with this key has been answered within 24 h. */
export async function isUsed(db: EntityManager, workspaceId: number, key: string): Promise<boolean> {
  return (await sql(db, look, [workspaceId, key])).length > 0;
}

/** Whether this request has been answered within 24 h. Refuses a key of another request (409). */
export async function isAnswered(
  db: EntityManager,
  { workspaceId, key, fingerprint }: IdempotentRequest,
): Promise<boolean> {
  const [known] = await sql<Pick<Known<unknown>, 'fingerprint'>>(db, look, [workspaceId, key]);
  if (known && !known.fingerprint.equals(fingerprint)) throw usedOtherwise();
  return known !== undefined;
}

export async function forgetExpiredKeys(tx: EntityManager, workspaceId: number): Promise<void> {
  await tx.query(`DELETE FROM idempotency_keys k WHERE workspace_id = $1 AND ${isExpired}`, [workspaceId]);
}

interface Known<Answer> extends Readonly<Pick<IdempotencyKeyEntity, 'fingerprint'>> {
  readonly answer: Answer | null;
}

const usedOtherwise = (): Refusal =>
  new Refusal(
    'conflict',
    'This Idempotency-Key was used for another request: use a new key for a new request.',
  );

const isExpired = `k.created_at < now() - interval '24 hours'`;

const look = {
  name: 'look-for-idempotent-answer',
  text: `
    SELECT fingerprint FROM idempotency_keys k
    WHERE workspace_id = $1 AND key = $2 AND answer IS NOT NULL AND NOT (${isExpired})`,
};

const tryLock = {
  name: 'lock-idempotency-key',
  text: `SELECT pg_try_advisory_xact_lock(hashtextextended($2, $1::integer)) AS "isFree"`,
};

// If another request with this key is in a transaction, waits until that transaction ends.
const claim = {
  name: 'claim-idempotency-key',
  text: `
    INSERT INTO idempotency_keys AS k (workspace_id, key, fingerprint) VALUES ($1, $2, $3)
    ON CONFLICT (workspace_id, key) DO UPDATE SET
      fingerprint = CASE WHEN ${isExpired} THEN excluded.fingerprint ELSE k.fingerprint END,
      answer = CASE WHEN ${isExpired} THEN NULL ELSE k.answer END,
      created_at = CASE WHEN ${isExpired} THEN now() ELSE k.created_at END
    RETURNING fingerprint, answer`,
};

// Also deletes up to ten expired keys, so that no job has to delete them.
const keep = {
  name: 'keep-idempotent-answer',
  text: `
    WITH expired AS (
      DELETE FROM idempotency_keys WHERE (workspace_id, key) IN (
        SELECT workspace_id, key FROM idempotency_keys k WHERE workspace_id = $1 AND ${isExpired}
        ORDER BY created_at LIMIT 10 FOR UPDATE SKIP LOCKED
      )
    )
    UPDATE idempotency_keys SET answer = $3 WHERE workspace_id = $1 AND key = $2`,
};

/** A hash of a request's target and body. Neither white space nor the order of keys changes the hash. */
function fingerprint(target: readonly string[], body: Json): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([target, canonical(body)]))
    .digest();
}

/** Converts a value to nested arrays, which are equal only for equal values. */
function canonical(value: Json): unknown {
  if (value instanceof NumberLiteral) return ['number', value.text];
  if (value instanceof Map)
    return ['object', [...(value as JsonObject)].sort(byKey).map(([key, item]) => [key, canonical(item)])];
  return isJsonList(value) ? ['array', value.map(canonical)] : value;
}

function byKey([a]: [string, Json], [b]: [string, Json]): number {
  return a < b ? -1 : 1;
}

export const IdempotencyKey = createParamDecorator(
  (_: unknown, context: ExecutionContext) => {
    const key = context.switchToHttp().getRequest<Request>().headers['idempotency-key'];
    if (key === undefined) return undefined;
    if (typeof key === 'string' && key !== '' && key.length <= 255) return key;
    throw new Refusal('malformed', 'An Idempotency-Key must have 1 to 255 characters.');
  },
  [
    describing(
      ApiHeader({
        name: 'Idempotency-Key',
        description:
          '1 to 255 characters. Within a day, the same request with the same key gets the first answer again, with its headers.',
      }),
    ),
  ],
);

/** What a client POSTs: the route, the names in the path after the workflow, and the body. */
export interface RepeatableRequest {
  /** A name for the route. Each route that accepts POST has a different name. */
  readonly route: string;
  readonly path?: readonly string[];
  readonly body: Json;
}

/** The scope and the sender of a POST. */
interface RepeatableScope {
  readonly workspaceId: number;
  readonly workflow?: { readonly slug: string };
  readonly viewer?: Asker | undefined;
}

interface Asker {
  readonly keyId?: string | undefined;
  readonly userId?: string | undefined;
  readonly narrowing?: object | undefined;
}

/** Identifies a POST with an Idempotency-Key. Undefined without a key. */
export function idempotentRequest(
  { workspaceId, workflow, viewer }: RepeatableScope,
  key: string | undefined,
  { route, path = [], body }: RepeatableRequest,
): IdempotentRequest | undefined {
  if (key === undefined) return undefined;
  // A user gets only the answers to their own requests.
  const ofUser = viewer?.userId === undefined ? [] : ['user', viewer.userId];
  // A narrowed key sees less than other keys, so its answers are separate.
  const ofKey = viewer?.narrowing ? ['key', viewer.keyId ?? ''] : [];
  return {
    workspaceId,
    key,
    fingerprint: fingerprint([...ofUser, ...ofKey, route, workflow?.slug ?? '', ...path], body),
  };
}

import { randomBytes } from 'node:crypto';
import { type EntityManager } from 'typeorm';
import { type Leftovers } from '../../common/database/leftovers.js';
import { sql } from '../../common/database/sql.js';
import { randomText } from '../../common/random-id.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { type FormStateEntity, type QuarantinedPostEntity } from './form.entity.js';

export type FormPlace = Readonly<Pick<FormStateEntity, 'workspaceId' | 'workflowId' | 'formId'>>;

export function placeOf({ workspaceId, id }: Workflow, formId: string): FormPlace {
  return { workspaceId, workflowId: id, formId };
}

/** SQL: matches the rows of one form. `sqlOfForm` binds the values. */
const ofForm = 'workspace_id = $1 AND workflow_id = $2 AND form_id = $3';

/** Runs a statement about one form. `$1`, `$2` and `$3` are the form's key; `more` begins at `$4`. */
const sqlOfForm = <Row>(
  db: EntityManager,
  { workspaceId, workflowId, formId }: FormPlace,
  statement: Parameters<typeof sql>[1],
  ...more: readonly unknown[]
): Promise<Row[]> => sql<Row>(db, statement, [workspaceId, workflowId, formId, ...more]);

/** Returns 128 random bits as 22 characters. */
const newToken = (): string => randomBytes(16).toString('base64url');
const shape = /^[\w-]{22}$/;
const MAX_TOKENS = 20;

/** Stores the forms of a workspace. New forms get an address. Deletes forms that are not in `forms`. */
export async function setForms(
  tx: EntityManager,
  workspaceId: number,
  forms: readonly Pick<FormPlace, 'workflowId' | 'formId'>[],
): Promise<void> {
  const columns = [forms.map(({ workflowId }) => workflowId), forms.map(({ formId }) => formId)];
  await sql(tx, set, [workspaceId, ...columns, forms.map(newToken)]);
}

const set = {
  name: 'set-forms',
  text: `
    WITH wanted AS (
      SELECT * FROM unnest($2::integer[], $3::text[], $4::text[]) AS w (workflow_id, form_id, token)
    ), gone AS (
      DELETE FROM form_states WHERE workspace_id = $1
        AND (workflow_id, form_id) NOT IN (SELECT workflow_id, form_id FROM wanted)
    )
    INSERT INTO form_states (workspace_id, workflow_id, form_id, tokens)
    SELECT $1, workflow_id, form_id, ARRAY[token] FROM wanted ON CONFLICT DO NOTHING`,
};

export async function formOfToken(db: EntityManager, token: string): Promise<FormPlace | undefined> {
  if (!shape.test(token)) return undefined;
  const [form] = await sql<FormPlace>(db, find, [[token]]);
  return form;
}

const find = {
  name: 'find-form',
  scope: 'all workspaces' as const,
  text: `
    SELECT workspace_id AS "workspaceId", workflow_id AS "workflowId", form_id AS "formId" FROM form_states
    WHERE tokens @> $1::text[]`,
};

/** Adds an address to a form, or replaces all its addresses. Keeps the 20 newest addresses. */
export async function addToken(tx: EntityManager, form: FormPlace, replacesOthers: boolean): Promise<void> {
  await sqlOfForm(tx, form, add, newToken(), replacesOthers);
}

const add = {
  name: 'add-form-token',
  text: `
    UPDATE form_states SET tokens = CASE WHEN $5 THEN ARRAY[$4::text]
      ELSE (tokens || $4::text)[GREATEST(cardinality(tokens) + 2 - ${MAX_TOKENS}, 1):] END
    WHERE ${ofForm}`,
};

/** Counts a task, and locks the count until the transaction ends. Returns false if the limit is reached. */
export const countCreated = async (
  tx: EntityManager,
  form: FormPlace,
  day: string,
  most: number,
): Promise<boolean> => (await sqlOfForm(tx, form, count, day, most)).length > 0;

/**
 * SQL: whether the stored count is for the day $4 or for the day after. Around midnight, another post may
 * already have begun the count of the next day.
 */
const isCounted = '(day BETWEEN $4::date AND $4::date + 1)';
const mayCreate = `(${isCounted} IS NOT TRUE OR created < $5)`;

const count = {
  name: 'count-created-by-form',
  text: `
    UPDATE form_states SET day = CASE WHEN ${isCounted} THEN day ELSE $4::date END,
      created = CASE WHEN ${isCounted} THEN created + 1 ELSE 1 END
    WHERE ${ofForm} AND ${mayCreate}
    RETURNING created`,
};

/** Whether a form may create more tasks on a day. Takes no lock, so simultaneous posts do not count. */
export const mayCreateMore = async (
  db: EntityManager,
  form: FormPlace,
  day: string,
  most: number,
): Promise<boolean> => (await sqlOfForm(db, form, look, day, most)).length > 0;

const look = {
  name: 'look-at-count-of-form',
  text: `
    SELECT FROM form_states WHERE ${ofForm} AND ${mayCreate}`,
};

interface FormStatus extends Readonly<Omit<FormStateEntity, 'workspaceId'>> {
  readonly quarantined: number;
}

export const formStatesOf = (db: EntityManager, workspaceId: number): Promise<FormStatus[]> =>
  sql<FormStatus>(db, read, [workspaceId]);

const read = {
  name: 'read-form-states',
  text: `
    SELECT workflow_id AS "workflowId", form_id AS "formId", tokens, created, day::text AS day, (
      SELECT count(*)::integer FROM quarantined_posts q
      WHERE q.workspace_id = $1 AND q.workflow_id = f.workflow_id AND q.form_id = f.form_id
        AND q.accepted_at IS NULL) AS quarantined
    FROM form_states f WHERE workspace_id = $1 ORDER BY workflow_id, form_id`,
};

/** The most posts and the most bytes in the quarantine of one form. Robots could otherwise fill the disk. */
const MAX_POSTS = 1000;
const MAX_BYTES = 100_000_000;
/** The most bytes that a list of posts contains, without files. */
const MAX_LISTED_BYTES = 5_000_000;

/** Stores a post in quarantine, unless the form has too many posts or bytes there. */
export async function quarantine(
  db: EntityManager,
  form: FormPlace,
  { reference, payload, files }: Pick<QuarantinedPostEntity, 'reference' | 'payload' | 'files'>,
): Promise<void> {
  await sqlOfForm(db, form, keep, randomText(12), reference, payload, files);
}

const bytesOf = (payload: string, files: string): string =>
  `octet_length(${payload}) + COALESCE(octet_length(${files}), 0)`;

const keep = {
  name: 'quarantine-post',
  text: `
    INSERT INTO quarantined_posts (workspace_id, workflow_id, form_id, id, reference, payload, files)
    SELECT $1, $2, $3, $4, $5, $6, $7 WHERE (
      SELECT count(*) < ${MAX_POSTS}
        AND COALESCE(sum(${bytesOf('payload', 'files')}), 0) + ${bytesOf('$6', '$7::text')} <= ${MAX_BYTES}
      FROM quarantined_posts WHERE ${ofForm})`,
};

type ListedPost = Pick<QuarantinedPostEntity, 'id' | 'reference' | 'payload' | 'receivedAt'>;

/** Reads the posts that wait in a form's quarantine: the newest 100, at most 5 MB, without their files. */
export const quarantinedPosts = (db: EntityManager, form: FormPlace): Promise<ListedPost[]> =>
  sqlOfForm<ListedPost>(db, form, list);

const list = {
  name: 'list-quarantined-posts',
  text: `
    SELECT id, reference, payload, received_at AS "receivedAt" FROM (
      SELECT *, sum(octet_length(payload)) OVER (ORDER BY received_at DESC, id) AS bytes
      FROM quarantined_posts WHERE ${ofForm} AND accepted_at IS NULL
    ) q WHERE bytes <= ${MAX_LISTED_BYTES} ORDER BY received_at DESC, id LIMIT 100`,
};

export const oldQuarantine: Leftovers = {
  table: 'quarantined_posts',
  key: 'id',
  isOver: `received_at < service_now() - interval '30 days'`,
  most: 500,
};

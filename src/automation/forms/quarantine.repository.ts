import { type EntityManager } from 'typeorm';
import { type Leftovers } from '../../common/database/leftovers.js';
import { randomText } from '../../common/random-id.js';
import { type FormPlace, ofForm, sqlOfForm } from './form-states.repository.js';
import { type QuarantinedPostEntity } from './quarantined-post.entity.js';

export type QuarantinedPost = Readonly<
  Pick<QuarantinedPostEntity, 'id' | 'reference' | 'payload' | 'files' | 'receivedAt' | 'acceptedAt'>
>;

/** The most posts of one form, so that robots cannot fill the disk. */
const MAX_POSTS = 1000;
const MAX_BYTES = 100_000_000;
/** The most bytes that a list reads; one post is smaller. */
const MAX_LISTED_BYTES = 5_000_000;

/** Stores a post, unless the form has too many already. */
export async function quarantine(
  db: EntityManager,
  form: FormPlace,
  { reference, payload, files }: Pick<QuarantinedPost, 'reference' | 'payload' | 'files'>,
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

type ListedPost = Omit<QuarantinedPost, 'files'>;

/** The posts of a form, newest first, without their files. */
export const quarantinedPosts = (db: EntityManager, form: FormPlace): Promise<ListedPost[]> =>
  sqlOfForm<ListedPost>(db, form, list);

const columns = 'id, reference, payload, received_at AS "receivedAt", accepted_at AS "acceptedAt"';

const list = {
  name: 'list-quarantined-posts',
  text: `
    SELECT ${columns} FROM (
      SELECT *, sum(octet_length(payload)) OVER (ORDER BY received_at DESC, id) AS bytes
      FROM quarantined_posts WHERE ${ofForm} AND accepted_at IS NULL
    ) q WHERE bytes <= ${MAX_LISTED_BYTES} ORDER BY received_at DESC, id LIMIT 100`,
};

/** A post of a form; undefined if it is not in quarantine. */
export const findQuarantined = async (
  db: EntityManager,
  form: FormPlace,
  id: string,
): Promise<QuarantinedPost | undefined> => (await sqlOfForm<QuarantinedPost>(db, form, find, id)).at(0);

const find = {
  name: 'find-quarantined-post',
  text: `SELECT ${columns}, files FROM quarantined_posts WHERE ${ofForm} AND id = $4`,
};

/** Records that a post's task was created; false if it was already. */
export const noteAccepted = async (tx: EntityManager, form: FormPlace, id: string): Promise<boolean> =>
  (await sqlOfForm(tx, form, accept, id)).length > 0;

const accept = {
  name: 'accept-quarantined-post',
  text: `
    UPDATE quarantined_posts SET accepted_at = service_now(), payload = '{}', files = NULL
    WHERE ${ofForm} AND id = $4 AND accepted_at IS NULL RETURNING id`,
};

export const deletePost = async (db: EntityManager, form: FormPlace, id: string): Promise<boolean> =>
  (await sqlOfForm(db, form, remove, id)).length > 0;

const remove = {
  name: 'delete-quarantined-post',
  text: `DELETE FROM quarantined_posts WHERE ${ofForm} AND id = $4 RETURNING id`,
};

export async function emptyQuarantine(tx: EntityManager, form: FormPlace): Promise<void> {
  await sqlOfForm(tx, form, empty);
}

const empty = {
  name: 'empty-quarantine',
  text: `DELETE FROM quarantined_posts WHERE ${ofForm} AND accepted_at IS NULL`,
};

/** Posts that nobody accepted within 30 days. */
export const oldQuarantine: Leftovers = {
  table: 'quarantined_posts',
  key: 'id',
  isOver: `received_at < service_now() - interval '30 days'`,
  most: 500,
};

import { type EntityManager } from 'typeorm';
import { type Leftovers } from '../../common/database/leftovers.js';
import { randomText } from '../../common/random-id.js';
import { type FormPlace, ofForm, sqlOfForm } from './form-states.repository.js';
import { type QuarantinedPostEntity } from './form.entity.js';

/** The most posts of one form, so that robots cannot fill the disk. */
const MAX_POSTS = 1000;
const MAX_BYTES = 100_000_000;
/** The most bytes that a list reads; one post is smaller. */
const MAX_LISTED_BYTES = 5_000_000;

/** Stores a post, unless the form has too many already. */
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

/** The posts of a form, newest first, without their files. */
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

/** Posts that nobody accepted within 30 days. */
export const oldQuarantine: Leftovers = {
  table: 'quarantined_posts',
  key: 'id',
  isOver: `received_at < service_now() - interval '30 days'`,
  most: 500,
};

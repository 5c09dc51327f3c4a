import { Readable } from 'node:stream';
import { type EntityManager } from 'typeorm';
import { hashUpload } from '../attachments/uploads.js';
import { type BlobStore } from '../task-store/blob-store.js';
import { Origin } from '../database/origin.js';
import { tellOrigin } from '../database/sql.js';
import { randomText } from '../lib/random-id.js';
import { pauses } from '../../packages/fair/turn.js';
import { unchangedFiles } from '../schema/file-changes.js';
import { parseTask } from '../schema/parse-task.js';
import { announceBlobs, nameBlobs } from '../task-store/blobs.repository.js';
import { recordOf, upsertRows } from '../task-store/bulk-upsert.js';
import { findTaskKey } from '../task-store/task-keys.js';
import { type Workspace } from '../workspace/workspace.js';
import {
  type Chapter,
  chapters,
  comments,
  contracts,
  failed,
  invoicesOf,
  late,
  ticked,
} from './demo-tasks.js';
import { Scope } from '../workspace/scope.js';
import { keptText } from '../lib/message.js';

/** Writes the history of the demo in one transaction with few statements, because every first start waits for it. */
export async function writeDemo(db: EntityManager, demo: Workspace, blobs: BlobStore): Promise<void> {
  const [arrival, review, approval, bills, ...rest] = chapters;
  const told = (chapter: Chapter | undefined): Promise<void> => writeChapter(db, demo, chapter);
  await told(arrival);
  await told(review);
  await tick(db, demo);
  await say(db, demo, comments.slice(0, 3));
  await told(approval);
  await told(bills);
  await link(db, demo);
  await attach(db, demo, blobs);
  for (const chapter of rest) await told(chapter);
  await fail(db, demo);
  await say(db, demo, comments.slice(3));
  await spread(db, demo);
}

async function writeChapter(db: EntityManager, demo: Workspace, chapter: Chapter | undefined): Promise<void> {
  if (!chapter) return;
  const scope = scopeOf(demo, chapter.workflow, chapter.by);
  const rows = [];
  for (const task of chapter.tasks) {
    // Some tasks are in stages that only actions can enter.
    const payload = new Map(Object.entries(task));
    const { change, refused } = await parseTask(scope.workflow.schema, payload, pauses(), 'action');
    if (refused.length > 0) throw new Error(`the demo cannot have ${JSON.stringify(task)}`);
    const demands = { states: undefined, holds: unchangedFiles(change) ?? new Map() };
    rows.push(recordOf(scope.workflow, { change, mayCreate: true, demands }));
  }
  await upsertRows(db, scope, rows);
}

/** The scope of a demo workflow, with a user at work. */
function scopeOf(demo: Workspace, slug: string, email: string): Scope {
  const workflow = demo.workflows.get(slug);
  if (!workflow) throw new Error(`the demo has no ${slug}`);
  return new Scope(workflow, undefined, undefined, new Origin({ user: idOf(demo, email) }));
}

function idOf({ users }: Workspace, email: string): string {
  return users.find(email)?.id ?? '';
}

/** Makes this user the author of all further changes. */
async function be(db: EntityManager, demo: Workspace, email: string): Promise<void> {
  const { origin } = scopeOf(demo, 'vendors', email);
  await tellOrigin(db, demo.id, origin?.text);
}

async function tick(db: EntityManager, demo: Workspace): Promise<void> {
  const done = Object.entries(ticked).flatMap(([vendor, titles]) =>
    titles.map((title) => ({ vendor, title })),
  );
  await db.query(
    `UPDATE checklist_items i SET status = 'Completed'
    FROM json_to_recordset($2) d (vendor text, title text), tasks t
    WHERE t.workspace_id = $1 AND t.unique_value = d.vendor
      AND i.workspace_id = $1 AND i.workflow_id = t.workflow_id AND i.task_id = t.id AND i.title = d.title`,
    [demo.id, JSON.stringify(done)],
  );
}

async function say(db: EntityManager, demo: Workspace, said: typeof comments): Promise<void> {
  for (const [vendor, author, body] of said) {
    await be(db, demo, author);
    await db.query(
      `INSERT INTO comments (workspace_id, workflow_id, task_id, author_id, body)
      SELECT $1, workflow_id, id, $3, $4 FROM tasks WHERE workspace_id = $1 AND unique_value = $2`,
      [demo.id, vendor, idOf(demo, author), body],
    );
  }
}

async function link(db: EntityManager, demo: Workspace): Promise<void> {
  const pairs = Object.entries(invoicesOf).flatMap(([vendor, invoices]) => invoices.map((invoice) => ({ vendor, invoice }))); // prettier-ignore
  await db.query(
    `INSERT INTO links (workspace_id, relationship_id, kind, from_workflow_id, from_id, to_workflow_id, to_id)
    SELECT $1, r.id, r.kind, v.workflow_id, v.id, i.workflow_id, i.id
    FROM json_to_recordset($2) p (vendor text, invoice text)
    JOIN relationships r ON r.workspace_id = $1 AND r.id = 'invoices'
    JOIN tasks v ON v.workspace_id = $1 AND v.workflow_id = r.from_workflow_id AND v.unique_value = p.vendor
    JOIN tasks i ON i.workspace_id = $1 AND i.workflow_id = r.to_workflow_id AND i.unique_value = p.invoice`,
    [demo.id, JSON.stringify(pairs)],
  );
}

async function attach(db: EntityManager, demo: Workspace, blobs: BlobStore): Promise<void> {
  const vendors = scopeOf(demo, 'vendors', 'theo@demo.test');
  const field = vendors.workflow.fields.find(({ name }) => name === 'Contract');
  for (const [vendor, filename, text] of contracts) {
    const bytes = [Buffer.from(text)];
    const upload = await hashUpload({ filename, contentType: 'text/plain', bytes: Readable.from(bytes) });
    const file = { ...upload.file, blobId: randomText(20) };
    const key = await findTaskKey(db, vendors, vendor);
    await announceBlobs(db, demo.id, [file.blobId]);
    await blobs.write(file.blobId, Readable.from(bytes));
    await nameBlobs(db, key, [{ ...upload, file }]);
    await db.query(
      `UPDATE tasks SET field_values = field_values || $4, version = version + 1
      WHERE workspace_id = $1 AND workflow_id = $2 AND id = $3`,
      [key.workspaceId, key.workflowId, key.taskId, JSON.stringify({ [field?.id ?? '']: [file] })],
    );
  }
}

/** An execution that has ended is never run, so its row is all that is needed. */
async function fail(db: EntityManager, demo: Workspace): Promise<void> {
  const { vendor, performer, action, step, error } = failed;
  await be(db, demo, performer);
  const outcomes = `(SELECT jsonb_agg(jsonb_build_object('name', s ->> 'name', 'status',
    CASE WHEN s ->> 'name' = $5 THEN 'Fail' WHEN n = 1 THEN 'Undone' ELSE 'Skipped' END) ORDER BY n)
    FROM json_array_elements(a.steps) WITH ORDINALITY steps (s, n))`;
  await db.query(
    `INSERT INTO executions (workspace_id, workflow_id, task_id, action_id, action_name, performer_id, definition, steps,
      status, errors, outcomes, fence, started_at, finished_at)
    SELECT $1, t.workflow_id, t.id, a.id, a.name, $3, 1, a.steps, 'Fail', ARRAY[$6], ${outcomes}, 1, now(), now()
    FROM tasks t JOIN actions a ON a.workspace_id = $1 AND a.workflow_id = t.workflow_id AND a.id = $4
    WHERE t.workspace_id = $1 AND t.unique_value = $2`,
    [demo.id, vendor, idOf(demo, performer), action, step, keptText(error)],
  );
}

/** Spreads the events over the last nine days, in their order. */
async function spread(db: EntityManager, demo: Workspace): Promise<void> {
  await db.query(
    `WITH placed AS (
      SELECT place, row_number() OVER (ORDER BY place) AS n, count(*) OVER () AS total FROM events WHERE workspace_id = $1
    ), told AS (
      UPDATE events e SET happened_at = now() - interval '9 days' * (1 - (p.n - 0.5) / p.total)
      FROM placed p WHERE e.workspace_id = $1 AND e.place = p.place
      RETURNING e.type, e.workflow_id, e.task_id, e.happened_at AS at, e.about,
        e.stage_to IS DISTINCT FROM e.stage_from AS moved
    ), said AS (
      UPDATE comments c SET created_at = e.at FROM told e
      WHERE c.workspace_id = $1 AND e.type = 'comment.created' AND c.task_id = e.task_id AND c.body = e.about ->> 'body'
    ), ended AS (
      UPDATE executions x SET created_at = e.at, started_at = e.at, finished_at = e.at FROM told e
      WHERE x.workspace_id = $1 AND x.id = e.about ->> 'id'
    )
    UPDATE tasks t SET created_at = e.first, updated_at = e.last,
      stage_at = CASE WHEN t.unique_value = $2 THEN e.entered ELSE t.stage_at END
    FROM (SELECT workflow_id, task_id, min(at) AS first, max(at) AS last, max(at) FILTER (WHERE moved) AS entered
      FROM told GROUP BY workflow_id, task_id) e
    WHERE t.workspace_id = $1 AND t.workflow_id = e.workflow_id AND t.id = e.task_id`,
    [demo.id, late],
  );
}

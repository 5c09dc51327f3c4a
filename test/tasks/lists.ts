import { cursorIn, nextOf, walk } from '../support/pages.js';
import { type Client, startService } from '../support/service.js';

export const tasks = '/api/v1/workflows/things/tasks';
export const uniqueId = 'name: ID, type: uniqueId, required: true';

export type Query = Readonly<Record<string, string | readonly string[]>>;
export type Task = Readonly<Record<string, unknown>>;

export const service = await startService({ PUBLIC_URL: 'https://tasks.acme.test' });
afterAll(() => service.stop());

/** Makes tasks `n1`, `n2`, … of `things` by SQL; a field's value is an SQL expression over `n`. */
export async function fill(
  workspace: string,
  count: number,
  values: Readonly<Record<string, string>>,
  prefix = 'n',
): Promise<void> {
  const pairs = Object.entries(values).map(
    ([name, value]) =>
      `(SELECT id FROM fields f WHERE f.workspace_id = w.id AND f.name = '${name}'), (${value})::text`,
  );
  await service.dataSource.query(
    `INSERT INTO tasks (workspace_id, workflow_id, public_id, unique_value, stage_id, is_active, field_values)
     SELECT w.id, f.id, $2 || n, $2 || n, s.id, true, jsonb_build_object(${pairs.join(', ')})
     FROM workspaces w JOIN workflows f ON f.workspace_id = w.id AND f.slug = 'things'
     JOIN stages s ON s.workspace_id = w.id AND s.workflow_id = f.id AND s.position = 0
     CROSS JOIN generate_series(1, $3::integer) n
     WHERE w.slug = $1 ORDER BY n`,
    [workspace, prefix, count],
  );
}

/** The ids `n1` to `n<count>`, those whose numbers fit. */
export function numbered(count: number, fits: (n: number) => boolean, prefix = 'n'): string[] {
  return Array.from({ length: count }, (_, index) => index + 1).filter(fits).map((n) => `${prefix}${n}`); // prettier-ignore
}

export function textOf(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, values]) => [values].flat().map((value): [string, string] => [name, value])); // prettier-ignore
  return new URLSearchParams(pairs).toString();
}

export async function listOf(api: Client, query: Query): Promise<Task[]> {
  return (await api.get(`${tasks}?${textOf(query)}`).expect(200)).body as Task[];
}

export async function idsOf(api: Client, query: Query): Promise<unknown[]> {
  return (await listOf(api, query)).map(({ ID }) => ID);
}

export async function refusalOf(api: Client, query: Query): Promise<unknown> {
  const { body } = await api.get(`${tasks}?${textOf(query)}`).expect(422);
  return (body as { errors: unknown }).errors;
}

export async function pagesOf(api: Client, query: Query, path = tasks): Promise<unknown[][]> {
  const pages = await walk<Task>(api, `${path}?${textOf(query)}`);
  return pages.map((page) => page.map(({ ID }) => ID));
}

/** The cursor that leads behind the first page of a list. */
export async function cursorOf(api: Client, query: Query, path = tasks): Promise<string> {
  return cursorIn(nextOf(await api.get(`${path}?${textOf(query)}`).expect(200)));
}

/** A condition of SQL: rows of the workspace whose id is the first parameter. */
export const ofWorkspace = 'workspace_id = (SELECT id FROM workspaces WHERE slug = $1)';

/** That the indexes of a workspace, so many and all filled, hold what its tasks hold, and nothing else. */
export async function expectKept(workspace: string, indexes: number): Promise<void> {
  const found = await service.dataSource.query<unknown[]>(
    `WITH expected AS (
       SELECT i.id AS index_id, t.id AS task_id, CASE i.kind
         WHEN 'words' THEN words_of(i.id, i.text_fields, t.unique_value, t.field_values)::text
         ELSE sort_key_of(t.field_values ->> i.field_id, i.kind)::text END AS held
       FROM field_indexes i JOIN tasks t ON t.workspace_id = i.workspace_id AND t.workflow_id = i.workflow_id
       WHERE i.${ofWorkspace}
     ), kept AS (
       SELECT k.index_id, k.task_id, k.words::text FROM task_words k WHERE k.${ofWorkspace}
       UNION ALL SELECT k.index_id, k.task_id, k.sort_key::text FROM task_sort_keys k WHERE k.${ofWorkspace}
     )
     SELECT (SELECT count(*)::integer FROM field_indexes WHERE ${ofWorkspace} AND is_filled) AS indexes,
       (SELECT count(*)::integer FROM (TABLE expected EXCEPT TABLE kept) missing) AS missing,
       (SELECT count(*)::integer FROM (TABLE kept EXCEPT TABLE expected) stale) AS stale`,
    [workspace],
  );
  expect(found).toEqual([{ indexes, missing: 0, stale: 0 }]);
}

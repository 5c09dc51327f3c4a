import { filesOf, formOf, inline } from '../support/attachments.js';
import { type RawRequest } from '../support/raw-request.js';
import { type TestService } from '../support/service.js';
import { makeTimer } from '../support/timers.js';
import { definition, type Ids, type Instead, type Name, rows } from './rows.js';

/** A workspace of this name with one thing of each kind. */
export async function fillWorkspace(service: TestService, name: string) {
  const api = await service.clientOf(definition(name), 'admin');
  const user = `${name}@x.test`;
  const at = (workflow: string): string => `/api/v1/workflows/${name}-${workflow}`;
  await api.post(`${at('parts')}/tasks`, { 'Part ID': `${name}-part` }).expect(201);
  const files = `${name} files`;
  const made = await api.post(`${at('things')}/tasks`, {
    ID: `${name}-1`,
    Owner: user,
    'Assigned To': user,
    [files]: [inline('a.txt')],
    [`${name} parts`]: [{ 'Part ID': `${name}-part` }],
  });
  const below = `${at('things')}/tasks/${name}-1`;
  const item = await api.post(`${below}/checklist_items`, {
    title: 'Look',
    Stage: 'New',
    'Assigned To': user,
  });
  const [event = { id: '' }] = await api.read<{ id: string }[]>(`${below}/history?_limit=1`);
  await api.post(`${below}/comments`, { body: 'Well', performed_by: user }).expect(201);
  const hook = { id: `${name}-hook`, url: 'http://127.0.0.1:1/', events: ['task.created'] };
  await api.post('/api/v1/webhooks', hook).expect(201);
  const begun = { task_id: `${name}-1`, action_id: `${name}-finish` };
  const execution = await api.post(`${at('things')}/executions`, begun).expect(202);
  await service.dataSource.query(
    `INSERT INTO messages (workspace_id, id, kind, recipient, body, workflow_id, task_id, task_url, execution_id, step,
       state, cause, next_at, finished_at)
     SELECT workspace_id, $1, 'post', 'ops', '["x"]', workflow_id, task_id, 'http://task.test/', id, 0,
       'failed', 'was answered with status 404', NULL, now()
     FROM executions WHERE id = $2`,
    [`${name}-message`, (execution.body as { id: string }).id],
  );
  await service.dataSource.query(
    `INSERT INTO quarantined_posts (workspace_id, id, workflow_id, form_id, reference, payload)
     SELECT workspace_id, $1, workflow_id, form_id, 'K7M29QXTAB', '{"ID":"K7M29QXTAB"}' FROM form_states WHERE form_id = $2`,
    [`${name}-post`, `${name}-form`],
  );
  const [member] = await service.dataSource.query<[{ id: string }]>('SELECT id FROM users WHERE email = $1', [user]); // prettier-ignore
  return {
    workflow_id: `${name}-things`,
    unique_id: `${name}-1`,
    id: (item.body as { id: string }).id,
    execution_id: (execution.body as { id: string }).id,
    blob_id: filesOf(made, files)[0]?.blobId ?? '',
    field: files,
    relationship: `${name} parts`,
    other_unique_id: `${name}-part`,
    action_id: `${name}-finish`,
    user,
    user_id: member.id,
    asset: 'start.js',
    metric: 'flow',
    webhook_id: `${name}-hook`,
    rule_id: `${name}-rule`,
    schedule_id: `${name}-schedule`,
    timer_id: await makeTimer(service, `${name}-1`, `${name}-finish`, { workspace: name }),
    event_id: event.id,
    message_id: `${name}-message`,
    form_id: `${name}-form`,
    post_id: `${name}-post`,
  };
}

/** The request of a route's row for things of these ids, in the workspace of `own`. */
export function requestOf(
  route: string,
  headers: readonly (readonly [string, string])[],
  ids: Ids,
  own: Ids,
  instead: Instead = {},
): RawRequest {
  const [verb = '', template = ''] = route.split(' ');
  const { query, body, isForm } = rows[route] ?? {};
  const path = template.replace('/*path', '/api/v1/nothing').replace(/:(\w+)/g, (_, name: Name) => encodeURIComponent(ids[name])); // prettier-ignore
  const form = isForm && formOf({ filename: 'b.txt' });
  const type = instead.type ?? (form ? form.type : 'application/json');
  const payload = instead.body ?? (form ? form.body : body && JSON.stringify(body(ids, own)));
  const parameters = [query?.(ids), instead.more].filter((text) => text !== undefined).join('&');
  return {
    method: instead.verb ?? (verb === 'ANY' ? 'POST' : verb),
    path: path + (parameters && `?${parameters}`),
    headers: payload === undefined ? headers : [['Content-Type', type], ...headers],
    ...(payload !== undefined && { body: payload }),
  };
}

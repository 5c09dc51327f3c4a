import { type fillWorkspace } from './requests.js';

/** What identifies things of one workspace: the parameters of paths, and what stands in queries and bodies. */
export type Ids = Readonly<Awaited<ReturnType<typeof fillWorkspace>>>;
export type Name = keyof Ids;

/** How a route is asked, beside what its path says; with the ids of one workspace it would succeed. */
interface Row {
  /** Needs no key. */
  readonly isPublic?: true;
  /** Where others than the path's ids stand in query or body. */
  readonly names?: readonly Name[];
  readonly query?: (ids: Ids) => string;
  readonly body?: (ids: Ids, own: Ids) => object;
  readonly isForm?: true;
  /** Takes a key of scope `admin`, to read as well. */
  readonly isForAdmin?: true;
}

/** What a request has otherwise than its row says. */
export interface Instead {
  /** Further parameters of the query. */
  readonly more?: string;
  readonly type?: string;
  readonly body?: string;
  readonly verb?: string;
}

export const task = '/api/v1/workflows/:workflow_id/tasks/:unique_id';
const webhook = '/api/v1/webhooks/:webhook_id';
const rules = '/api/v1/workflows/:workflow_id/rules';
const schedules = '/api/v1/workflows/:workflow_id/schedules';
const forms = '/api/v1/workflows/:workflow_id/forms';
export const write: Row = {
  names: ['user', 'other_unique_id', 'blob_id'],
  body: (ids, own) => ({
    ID: own.unique_id,
    Owner: ids.user,
    'Assigned To': ids.user,
    [own.relationship]: [{ 'Part ID': ids.other_unique_id }],
    [own.field]: [{ blobId: ids.blob_id }],
  }),
};

/** A route without a row takes a key of scope `write`, and is asked by its path alone. */
export const rows: Readonly<Record<string, Row>> = {
  'GET /health/live': { isPublic: true },
  'GET /health/ready': { isPublic: true },
  'GET /': { isPublic: true },
  'GET /docs': { isPublic: true },
  'GET /docs/openapi.json': { isPublic: true },
  'GET /docs/:asset': { isPublic: true },
  // What it lets in is told by test/rules/hooks.e2e-spec.ts.
  'POST /hooks/:token': { isPublic: true },
  'POST /api/v1/workflows/:workflow_id/tasks': write,
  'PUT /api/v1/workflows/:workflow_id/tasks': write,
  'POST /api/v1/workflows/:workflow_id/tasks/batch': write,
  [`POST ${task}/checklist_items`]: {
    names: ['user'],
    body: (ids) => ({ title: 'Look', Stage: 'New', 'Assigned To': ids.user }),
  },
  [`PUT ${task}/checklist_items/:id`]: { names: ['user'], body: (ids) => ({ 'Assigned To': ids.user }) },
  [`GET ${task}/actions`]: { names: ['user'], query: (ids) => `performed_by=${ids.user}` },
  [`POST ${task}/comments`]: { names: ['user'], body: (ids) => ({ body: 'Well', performed_by: ids.user }) },
  [`POST ${task}/attachments/:field`]: { isForm: true },
  'GET /api/v1/workflows/:workflow_id/executions': {
    names: ['unique_id'],
    query: (ids) => `task_id=${ids.unique_id}`,
  },
  'POST /api/v1/workflows/:workflow_id/executions': {
    names: ['unique_id', 'action_id', 'user'],
    body: (ids) => ({ task_id: ids.unique_id, action_id: ids.action_id, performed_by: ids.user }),
  },
  'GET /api/v1/webhooks': { isForAdmin: true },
  'POST /api/v1/webhooks': {
    isForAdmin: true,
    body: (ids) => ({ url: 'http://127.0.0.1:1/', events: ['task.created'], headers: { 'X-For': ids.user } }),
  },
  [`GET ${webhook}`]: { isForAdmin: true },
  [`PUT ${webhook}`]: {
    isForAdmin: true,
    body: () => ({ url: 'http://127.0.0.1:1/', events: ['task.created'] }),
  },
  [`DELETE ${webhook}`]: { isForAdmin: true },
  [`GET ${webhook}/secret`]: { isForAdmin: true },
  [`POST ${webhook}/secret/rotate`]: { isForAdmin: true },
  [`GET ${webhook}/deliveries`]: { isForAdmin: true },
  [`POST ${webhook}/test`]: { isForAdmin: true },
  [`POST ${webhook}/replay`]: { isForAdmin: true, body: (ids) => ({ deliveries: [ids.user] }) },
  [`POST ${webhook}/enable`]: { isForAdmin: true },
  [`POST ${webhook}/pause`]: { isForAdmin: true },
  [`POST ${rules}/explain`]: { names: ['event_id'], body: (ids) => ({ event: ids.event_id }) },
  [`POST ${rules}/:rule_id/pause`]: { isForAdmin: true },
  [`POST ${rules}/:rule_id/resume`]: { isForAdmin: true },
  [`POST ${schedules}/:schedule_id/run`]: { isForAdmin: true },
  [`POST ${schedules}/:schedule_id/pause`]: { isForAdmin: true },
  [`POST ${schedules}/:schedule_id/resume`]: { isForAdmin: true },
  [`GET ${forms}`]: { isForAdmin: true },
  [`GET ${forms}/:form_id`]: { isForAdmin: true },
  [`POST ${forms}/:form_id/rotate`]: { isForAdmin: true },
  [`POST ${forms}/:form_id/add`]: { isForAdmin: true },
  [`GET ${forms}/:form_id/quarantine`]: { isForAdmin: true },
  [`POST ${forms}/:form_id/quarantine/:post_id/accept`]: { isForAdmin: true },
  [`POST ${forms}/:form_id/discard`]: { isForAdmin: true },
  [`POST ${task}/approvals`]: {
    names: ['action_id', 'user'],
    body: ({ action_id, user }) => ({
      action_id: action_id.replace('finish', 'sign'),
      id: 'all',
      decision: 'approve',
      performed_by: user,
    }),
  },
  [`GET ${rules}/:rule_id/hook`]: { isForAdmin: true },
  'GET /api/v1/definition': { isForAdmin: true },
  'POST /api/v1/definition/plan': {
    isForAdmin: true,
    body: (_, { workflow_id }) => ({ workspace: { id: workflow_id.replace('-things', '') } }),
  },
  'POST /api/v1/definition/apply': {
    isForAdmin: true,
    body: (_, { workflow_id }) => ({ workspace: { id: workflow_id.replace('-things', '') } }),
  },
  'GET /api/v1/definition/history': { isForAdmin: true },
  'POST /api/v1/definition/rollback': { isForAdmin: true, query: () => 'to=1' },
  'GET /api/v1/messages': { isForAdmin: true },
  'POST /api/v1/messages/:message_id/retry': { isForAdmin: true },
};
/** The same workspace under other names. */
export const definition = (name: string): string => `
workspace: { id: ${name}, name: ${name} }
users: [{ email: ${name}@x.test }]
workflows:
  - id: ${name}-things
    name: Things
    stages: [{ name: New }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Owner, type: person }
      - { name: ${name} files, type: file }
      - { name: ${name} note, type: text }
    actions: [{ id: ${name}-finish, name: Finish, steps: [{ name: Close, type: move_to_stage, stage: Done }] }, { id: ${name}-sign, name: Sign, requirements: { approvals: { of: [{ id: all, users: [${name}@x.test], by: anyone }] } } }]
    rules: [{ id: ${name}-rule, on: hook, secret: HOOK, task: 'body["id"]', when: 'task["ID"] == "none"', run: ${name}-finish }]
    schedules: [{ id: ${name}-schedule, cron: '0 0 1 1 *', for: Stage=Done, run: ${name}-finish }]
    forms: [{ id: ${name}-form, title: Things, fields: [${name} note], fixed: { ID: '{{random}}' } }]
  - { id: ${name}-parts, name: Parts, stages: [{ name: New }], fields: [{ name: Part ID, type: uniqueId, required: true }] }
relationships:
  - { id: parts, kind: many_to_many, from: { workflow: ${name}-things, name: ${name} parts }, to: { workflow: ${name}-parts, name: things } }
calendars: [{ id: ${name}-calendar, timezone: UTC, hours: { mon-fri: '09:00-17:00' } }]
`;

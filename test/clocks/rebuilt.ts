import { type TestService } from '../support/service.js';

export const tickets = '/api/v1/workflows/tickets/tasks';

/** A workspace whose tickets have these clocks, and whose office is open at these hours. */
export const definition = (slug: string, clocks: readonly string[], hours = '"09:00-17:00"'): string => `
workspace: { id: ${slug}, name: Acme, timezone: Europe/Berlin }
users: [{ email: mina@${slug}.test }]
calendars: [{ id: office, timezone: Europe/Berlin, hours: { mon-sun: [${hours}] } }]
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Review }, { name: Waiting }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Risk, type: singleSelect, options: [Low, High] }
      - { name: Close By, type: datetime }
      - { name: Nudges, type: number, default: 0 }
    actions:
      - { id: nudge, name: Nudge, steps: [{ name: Add, type: update_fields, set: { Nudges: { expression: 'task["Nudges"] + 1' } } }] }
    roles: [{ id: lead, name: Lead, admin: true }]
    members: [{ email: mina@${slug}.test, role: lead }]
    clocks: [${clocks.join(', ')}]
`;

const rungs = 'rungs: [{ at: 50%, run: nudge }, { at: 100%, run: nudge, repeat: 1 hour, times: 2 }]';

export const review = (budget: string): string =>
  `{ id: review, starts: { stages: [Review] }, pauses: { stages: [Waiting] }, budget: { field: Risk, of: { High: 2 hours }, else: ${budget} }, again: continue, ${rungs} }`;
export const work = `{ id: work, starts: { stages: [New] }, budget: 6 working_hours, calendar: office, ${rungs} }`;
export const close =
  '{ id: close, due: { field: Close By }, rungs: [{ at: -1 hours, run: nudge }, { at: 100% }] }';

const ofWorkspace = 'workspace_id = (SELECT id FROM workspaces WHERE slug = $1)';

/** What the clocks of a workspace tell. By which definition a row was folded last, and behind which event, is no part of that. */
export const clocksIn = ({ dataSource }: TestService, slug: string): Promise<object[]> =>
  dataSource.query(
    `SELECT t.unique_value, c.clock_id, c.state, c.due_at, c.next_at, c.row::jsonb - 'definition' AS row
    FROM clocks c JOIN tasks t ON t.id = c.task_id WHERE t.${ofWorkspace} ORDER BY t.unique_value, c.clock_id`,
    [slug],
  );

/** How much was recorded and started in a workspace. */
export const recordsIn = ({ dataSource }: TestService, slug: string): Promise<object[]> =>
  dataSource.query(
    ['events', 'runs', 'executions']
      .map((table) => `SELECT count(*) FROM ${table} WHERE ${ofWorkspace}`)
      .join(' UNION ALL '),
    [slug],
  );

/** A task and its event tell the instant of a stage change each by itself, perhaps a millisecond apart. */
export const makeInstantsSame = ({ dataSource }: TestService): Promise<unknown> =>
  dataSource.query(`
    UPDATE tasks t SET stage_at = e.happened_at FROM events e
    WHERE e.task_id = t.id AND e.version = t.version_offset + t.stage_version AND e.stage_to IS NOT NULL`);

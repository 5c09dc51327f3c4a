import { type OwnWorkspace, ownWorkspaces } from '../support/own-workspaces.js';
import { type Client } from '../support/service.js';

export const tickets = '/api/v1/workflows/tickets/tasks';
export const schedules = '/api/v1/workflows/tickets/schedules';

/** A workspace whose tickets have these schedules. */
const definition = (own: readonly string[], slug: string): string => `
workspace: { id: ${slug}, name: Acme, timezone: Europe/Berlin }
users: [{ email: mina@acme.test }, { email: theo@acme.test }]
calendars:
  - { id: office, timezone: Europe/Berlin, hours: { mon-fri: "09:00-17:00" }, holidays: [12-25, 12-26] }
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Waiting }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Note, type: text }
      - { name: Due, type: date }
      - { name: Count, type: number, default: 0 }
    actions:
      - { id: nudge, name: Nudge, steps: [{ name: Note, type: update_fields, set: { Note: nudged } }] }
      - { id: close, name: Close, steps: [{ name: Go, type: move_to_stage, stage: Done }] }
      - { id: count, name: Count, steps: [{ name: Add, type: update_fields, set: { Count: { expression: 'task["Count"] + 1' } } }] }
      - { id: snooze, name: Snooze, steps: [{ name: Wait, type: move_to_stage, stage: Waiting }, { name: Ask, type: schedule_action, action: nudge, after: 3 days, cancel: on_stage_change }] }
      - { id: at-due, name: At due, steps: [{ name: Ask, type: schedule_action, action: nudge, at: '{{Due}}' }] }
      - { id: in-hours, name: In hours, steps: [{ name: Ask, type: schedule_action, action: nudge, after: 4 working_hours, calendar: office }] }
    schedules: [${own.map((one) => `{ ${one} }`).join(', ')}]
`;

/** A workspace whose tickets have these schedules, each a flow mapping of YAML. */
export interface SchedulesSetting extends OwnWorkspace {
  /** Applies other schedules, and removes those that are left out where it prunes. */
  schedules(own: readonly string[], options?: { readonly isPruning: boolean }): Promise<void>;
  /** Moves the time, and runs what is due then. */
  setTime(time: string): Promise<void>;
}

/** One service for a file; each call gives a workspace of its own at a time. */
export async function schedulesOfFile(): Promise<
  (time: string, ...own: string[]) => Promise<SchedulesSetting>
> {
  const { service, start } = await ownWorkspaces();
  return async (time, ...schedules) => {
    await service.settle({ at: time, kind: 'none' });
    const own = await start((slug) => definition(schedules, slug));
    return {
      ...own,
      schedules: (others, options) => service.apply(definition(others, own.slug), options),
      setTime: (at) => own.settle({ at }),
    };
  };
}

export interface Run {
  readonly by: { readonly kind: string; readonly id: string };
  readonly result: string;
  readonly because: string;
  readonly task: { readonly unique_id: string } | null;
  readonly execution: string | null;
}

/** The runs of a schedule, the newest first. */
export async function runsOf(api: Client, id: string): Promise<Run[]> {
  const { body } = (await api.get(`${schedules}/${id}/runs`).expect(200)) as { body: Run[] };
  return body;
}

/** The Unique IDs of all tickets. */
export async function idsOf(api: Client): Promise<string[]> {
  const { body } = (await api.get(tickets).expect(200)) as { body: { ID: string }[] };
  return body.map(({ ID }) => ID);
}

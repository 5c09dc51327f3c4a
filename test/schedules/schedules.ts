import { type MovedClock, movedClock } from '../support/moved-clock.js';
import { startService, type Client, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

export const tickets = '/api/v1/workflows/tickets/tasks';
export const schedules = '/api/v1/workflows/tickets/schedules';

/** A workspace whose tickets have these schedules. */
export const definition = (own: readonly string[]): string => `
workspace: { id: acme, name: Acme, timezone: Europe/Berlin }
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

/** A service whose tickets have these schedules, each a flow mapping of YAML. */
export interface SchedulesSetting {
  readonly service: TestService;
  readonly api: Client;
  readonly admin: Client;
  /** Applies other schedules, and leaves no other. */
  schedules(own: readonly string[]): Promise<void>;
  /** What other processes on the same database are started with. */
  readonly clock: MovedClock['environment'];
  /** Sets the time by which schedules and timers are due. */
  setTime(time: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the service at a time. */
export async function startSchedules(
  own: readonly string[],
  time?: string,
  environment = {},
): Promise<SchedulesSetting> {
  const clock = await movedClock(time === undefined ? 0 : new Date(time));
  const service = await startService({ ...environment, ...clock.environment });
  const apply = (others: readonly string[]): Promise<void> => service.apply(definition(others));
  await apply(own);
  return {
    service,
    api: service.client(await service.key('acme')),
    admin: service.client(await service.key('acme', 'admin')),
    schedules: apply,
    clock: clock.environment,
    setTime: (iso) => clock.move(service.dataSource, Date.parse(iso) - Date.now()),
    async stop() {
      await service.stop();
      await clock.remove();
    },
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

/** Waits until a schedule has so many runs, and gives them. */
export async function runsWhen(api: Client, id: string, count: number): Promise<Run[]> {
  await until(`${count} runs of ${id}`, async () => (await runsOf(api, id)).length >= count);
  return runsOf(api, id);
}

/** The Unique IDs of all tickets. */
export async function idsOf(api: Client): Promise<string[]> {
  const { body } = (await api.get(tickets).expect(200)) as { body: { ID: string }[] };
  return body.map(({ ID }) => ID);
}

import { applyDefinition } from '../../src/definitions/apply-definition.js';
import { readDefinition } from '../../src/definitions/source/read-definition.js';
import { startService, type Client, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

/** A service whose tickets have these rules, each a flow mapping of YAML. */
export interface RulesSetting {
  readonly service: TestService;
  readonly api: Client;
  readonly admin: Client;
  /** Applies other rules; those that are left out stay, or go. */
  rules(rules: readonly string[], options?: { readonly isPruning: boolean }): Promise<void>;
  stop(): Promise<void>;
}

export const tickets = '/api/v1/workflows/tickets/tasks';

const definition = (rules: readonly string[], slug = 'acme'): string => `
workspace: { id: ${slug}, name: Acme }
users: [{ email: mina@acme.test }, { email: theo@acme.test }]
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: New }, { name: Busy }, { name: Review }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Risk, type: singleSelect, options: [Low, Medium, High] }
      - { name: Value, type: currency }
      - { name: Count, type: number, default: 0 }
      - { name: Note, type: text }
    checklist: [{ title: Look, stage: New }, { title: Think, stage: New }]
    actions:
      - { id: assign-mina, name: Assign Mina, steps: [{ name: Assign, type: assign, to: mina@acme.test }] }
      - { id: review, name: Review, steps: [{ name: Go, type: move_to_stage, stage: Review }] }
      - { id: busy, name: Busy, steps: [{ name: Go, type: move_to_stage, stage: Busy }] }
      - { id: fill, name: Fill, steps: [{ name: Fill, type: update_fields, set: { Note: filled } }] }
      - id: noted
        name: Noted
        requirements: { required_fields: [Note] }
        steps: [{ name: Rate, type: update_fields, set: { Risk: Low } }]
      - id: count
        name: Count
        steps: [{ name: Add, type: update_fields, set: { Count: { expression: 'task["Count"] + 1' } } }]
      - id: break
        name: Break
        steps: [{ name: Break, type: update_fields, set: { Risk: { expression: 'task["Note"]' } } }]
    rules: [${rules.map((rule) => `{ ${rule} }`).join(', ')}]
  - id: orders
    name: Orders
    stages: [{ name: Open }, { name: Closed, end: true }]
    fields: [{ name: Order, type: uniqueId, required: true }]
    actions: [{ id: close, name: Close, steps: [{ name: Close, type: move_to_stage, stage: Closed }] }]
relationships:
  - { id: orders, kind: one_to_many, from: { workflow: tickets, name: Orders }, to: { workflow: orders, name: Ticket } }
`;

export async function startRules(rules: readonly string[], environment = {}): Promise<RulesSetting> {
  const service = await startService(environment);
  const apply = async (others: readonly string[], options = {}): Promise<void> => {
    await applyDefinition(service.dataSource, readDefinition(definition(others), 'test.yaml'), options);
  };
  await apply(rules);
  return {
    service,
    api: service.client(await service.key('acme')),
    admin: service.client(await service.key('acme', 'admin')),
    rules: apply,
    stop: () => service.stop(),
  };
}

/** One service for a file, whose background work is asked for; each call gives a workspace of its own. */
export function rulesOfFile(): (rules: readonly string[]) => Promise<RulesSetting> {
  let service: TestService;
  let made = 0;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());
  return async (rules) => {
    const slug = `acme-${(made += 1)}`;
    const apply = (others: readonly string[], options = {}) =>
      service.apply(definition(others, slug), options);
    await apply(rules);
    return {
      service,
      api: service.client(await service.key(slug)),
      admin: service.client(await service.key(slug, 'admin')),
      rules: apply,
      stop: () => Promise.resolve(),
    };
  };
}

/** What a task shows once all is done. */
export async function settledTask(
  { service, api }: RulesSetting,
  path: string,
): Promise<Record<string, unknown>> {
  await service.settle();
  return (await api.get(path).expect(200)).body as Record<string, unknown>;
}

/** Waits until a task shows these values. */
export async function shows(api: Client, path: string, values: object): Promise<void> {
  const wanted = Object.entries(values);
  await until(`${path} shows ${JSON.stringify(values)}`, async () => {
    const { body } = (await api.get(path)) as { body: Record<string, unknown> };
    return wanted.every(([name, value]) => body[name] === value);
  });
}

interface Run {
  readonly by: { readonly id: string };
  readonly result: string;
  readonly because: string;
  readonly event: string | null;
  readonly execution: string | null;
  readonly chain: readonly { readonly rule: string; readonly task: string }[];
}

/** The runs of a task, the newest first. */
export async function runsOf(api: Client, uniqueId: string): Promise<Run[]> {
  const { body } = (await api.get(`${tickets}/${uniqueId}/runs`).expect(200)) as { body: Run[] };
  return body;
}

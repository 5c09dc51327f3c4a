import { type OwnWorkspace, ownWorkspaces } from '../support/own-workspaces.js';
import { type Client } from '../support/service.js';

/** A workspace whose tickets have these rules, each a flow mapping of YAML. */
export interface RulesSetting extends OwnWorkspace {
  /** Applies other rules; those that are left out stay, or go. */
  rules(rules: readonly string[], options?: { readonly isPruning: boolean }): Promise<void>;
}

export const tickets = '/api/v1/workflows/tickets/tasks';

const definition = (rules: readonly string[], slug: string): string => `
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
      - { id: later, name: Later, steps: [{ name: Wait, type: schedule_action, action: busy, after: 1 hour }] }
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

/** One service for a file; each call gives a workspace of its own. */
export async function rulesOfFile(
  environment = {},
): Promise<(rules: readonly string[]) => Promise<RulesSetting>> {
  const { start } = await ownWorkspaces(environment);
  return async (rules) => {
    const own = await start((slug) => definition(rules, slug));
    const apply: RulesSetting['rules'] = (others, options) =>
      own.service.apply(definition(others, own.slug), options);
    return { ...own, rules: apply };
  };
}

/** What a task shows once all is done. */
export async function settledTask(
  { settle, api }: RulesSetting,
  path: string,
): Promise<Record<string, unknown>> {
  await settle();
  return api.read(path);
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

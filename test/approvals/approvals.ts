import {
  type OpenApproval,
  type ShownApproval,
  type WantedDecision,
} from '../../src/approvals/approval.dto.js';
import { ApprovalsService } from '../../src/approvals/approvals.service.js';
import { Origin } from '../../src/database/origin.js';
import { type JsonObject, toJson } from '../../packages/exact-json/json.js';
import { noPrecondition } from '../../src/task-store/task-row.js';
import { TaskWriter } from '../../src/tasks/write-task.js';
import { Scope } from '../../src/workspace/scope.js';
import { Workspaces } from '../../src/workspace/workspaces.js';
import { WorkspaceEntity } from '../../src/entities/workspace.entity.js';
import { type Client, startService, type TestService } from '../support/service.js';

export const vendors = '/api/v1/workflows/vendors/tasks';

/** A service whose vendors need these approvals, each a group as a flow mapping of YAML. */
export interface ApprovalsSetting {
  readonly service: TestService;
  readonly api: Client;
  readonly admin: Client;
  /** Applies other groups, and whatever else is said. */
  groups(groups: readonly string[], more?: DefinitionParts): Promise<void>;
  /** What a person who is signed in decides. */
  decide(who: string, task: string, wanted?: Partial<WantedDecision>): Promise<ShownApproval>;
  /** What a person who is signed in changes of a task; a new one where there is none. */
  write(who: string, payload: Readonly<Record<string, unknown>>, workflow?: string): Promise<void>;
  scopeOf(who: string, workflow?: string): Promise<Scope>;
  /** The groups of a task. */
  of(task: string): Promise<ShownApproval[]>;
  group(task: string, id?: string): Promise<ShownApproval>;
  /** What stands in the way of the action. */
  unmet(task: string, performer?: string, action?: string): Promise<string[]>;
  openFor(email: string, query?: string): Promise<OpenApproval[]>;
  stop(): Promise<void>;
}

/** What a test defines otherwise than usual. */
export interface DefinitionParts {
  readonly distinct?: boolean;
  /** Members of roles: `theo: legal`. */
  readonly members?: Readonly<Record<string, string>>;
  readonly rules?: readonly string[];
  /** Absences by user: `{ from: …, until: …, to: … }`. */
  readonly away?: Readonly<Record<string, string>>;
  /** The step of an action `remind`. */
  readonly remind?: string;
  /** Steps of the action before the last. */
  readonly steps?: readonly string[];
}

const people = ['theo', 'ines', 'mina', 'rhea', 'otto', 'abel', 'bert', 'cleo'];

export const usualMembers: Readonly<Record<string, string>> = {
  theo: 'legal',
  ines: 'legal',
  mina: 'staff',
  rhea: 'staff',
  otto: 'boss',
  abel: 'finance',
  bert: 'finance',
  cleo: 'staff',
};

const definition = (groups: readonly string[], more: DefinitionParts = {}): string => `
workspace: { id: acme, name: Acme }
users: [${people.map((name) => `{ email: ${name}@acme.test${more.away?.[name] === undefined ? ', away: null' : `, away: ${more.away[name]}`} }`).join(', ')}]
workflows:
  - id: vendors
    name: Vendors
    stages: [{ name: Draft }, { name: Review }, { name: Done, end: true }]
    fields:
      - { name: Vendor ID, type: uniqueId, required: true }
      - { name: Amount, type: currency }
      - { name: Note, type: text }
      - { name: Contract, type: file }
      - { name: Owner, type: person }
    roles:
      - { id: legal, name: Legal, actions: [approve] }
      - { id: finance, name: Finance, actions: [approve] }
      - { id: staff, name: Staff, actions: [approve] }
      - { id: boss, name: Boss, admin: true }
    members: [${Object.entries(more.members ?? usualMembers)
      .map(([name, role]) => `{ email: ${name}@acme.test, role: ${role} }`)
      .join(', ')}]
    actions:
      - id: approve
        name: Approve
        stages: [Review]
        requirements:
          approvals: { distinct: ${more.distinct ?? true}, of: [${groups.map((group) => `{ ${group} }`).join(', ')}] }
        steps: [${[...(more.steps ?? []), '{ name: Finish, type: move_to_stage, stage: Done }'].join(', ')}]
      - { id: note, name: Note it, steps: [{ name: Write, type: update_fields, set: { Note: noted } }] }
      - { id: remind, name: Remind, steps: [${more.remind ?? '{ name: Write, type: update_fields, set: { Note: reminded } }'}] }
      - { id: rate, name: Rate, steps: [{ name: Write, type: update_fields, set: { Amount: 1 } }] }
    rules: [${(more.rules ?? []).map((rule) => `{ ${rule} }`).join(', ')}]
  - id: lines
    name: Lines
    stages: [{ name: Open }, { name: Closed }]
    fields: [{ name: Line, type: uniqueId, required: true }, { name: Price, type: currency }]
relationships:
  - { id: lines, kind: one_to_many, from: { workflow: vendors, name: Lines }, to: { workflow: lines, name: Vendor } }
`;

export async function startApprovals(
  groups: readonly string[],
  more: DefinitionParts = {},
  environment = {},
): Promise<ApprovalsSetting> {
  const service = await startService(environment);
  await service.apply(definition(groups, more));
  const api = service.client(await service.key('acme'));
  const approvals = service.app.get(ApprovalsService, { strict: false });
  const workspaces = service.app.get(Workspaces, { strict: false });
  const { id } = await service.dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug: 'acme' });

  async function scopeOf(who: string, workflow = 'vendors'): Promise<Scope> {
    const { users } = await workspaces.get(id);
    const userId = users.find(`${who}@acme.test`)?.id ?? '';
    const found = await workspaces.workflow(id, workflow, { userId });
    return new Scope(found, { userId }, undefined, new Origin({ user: userId }));
  }

  const setting: ApprovalsSetting = {
    service,
    api,
    admin: service.client(await service.key('acme', 'admin')),
    // The rules of an earlier test would run in later ones.
    groups: (others, parts = {}) => service.apply(definition(others, parts), { isPruning: true }),
    scopeOf,
    async decide(who, task, wanted = {}) {
      const scope = await scopeOf(who);
      return approvals.decide(scope, task, {
        actionId: 'approve',
        groupId: 'legal',
        decision: 'approve',
        ...wanted,
      });
    },
    async write(who, payload, workflow) {
      const json = toJson(payload) as JsonObject;
      const write = { verb: 'upsert' as const, payload: json, precondition: noPrecondition };
      await service.app.get(TaskWriter, { strict: false }).write(await scopeOf(who, workflow), write);
    },
    async of(task) {
      return (await api.get(`${vendors}/${task}/approvals`).expect(200)).body as ShownApproval[];
    },
    async group(task, groupId = 'legal') {
      const found = (await setting.of(task)).find((one) => one.id === groupId);
      if (!found) throw new Error(`no group ${groupId}`);
      return found;
    },
    async unmet(task, performer, action = 'approve') {
      const by = performer === undefined ? '' : `&performed_by=${performer}@acme.test`;
      const { body } = await api.get(`${vendors}/${task}/actions?_explain=true${by}`).expect(200);
      const all = body as readonly { readonly id: string; readonly unmet: string[] }[];
      return all.find((one) => one.id === action)?.unmet ?? [];
    },
    async openFor(email, query = '') {
      const { body } = await api.get(`/api/v1/approvals?open_for=${email}@acme.test${query}`).expect(200);
      return body as OpenApproval[];
    },
    stop: () => service.stop(),
  };
  return setting;
}

/** An event of approvals, as it tells them. */
export interface ApprovalEvent {
  readonly type: string;
  readonly data: {
    readonly actor: { readonly kind: string; readonly id?: string };
    readonly task: { readonly unique_id: string };
    readonly approval: Readonly<Record<string, unknown>>;
  };
}

/** The events of approvals of a task, the oldest first. */
export async function eventsOf({ admin }: ApprovalsSetting, task: string): Promise<ApprovalEvent[]> {
  const { body } = await admin.get('/api/v1/events').expect(200);
  const events = body as ApprovalEvent[];
  return events.filter(({ type, data }) => type.startsWith('approval.') && data.task.unique_id === task);
}

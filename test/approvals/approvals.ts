import { type ShownApproval, type WantedDecision } from '../../src/approvals/approval.dto.js';
import { type WaitingApproval } from '../../src/approvals/open-approvals.js';
import { ApprovalsService } from '../../src/approvals/approvals.service.js';
import { Origin } from '../../src/common/origin.js';
import { type JsonObject, toJson } from '../../packages/exact-json/json.js';
import { noPrecondition } from '../../src/tasks/store/task-row.js';
import { TaskWriter } from '../../src/tasks/write-task.js';
import { Scope } from '../../src/workflows/model/scope.js';
import { Workspaces } from '../../src/workflows/model/workspaces.js';
import { WorkspaceEntity } from '../../src/workflows/model/entities/workspace.entity.js';
import { startService } from '../support/service.js';
import { type Response } from 'supertest';

export const vendors = '/api/v1/workflows/vendors/tasks';

/** What a test defines otherwise than usual. */
export interface DefinitionParts {
  /** Members of roles: `theo: legal`. */
  readonly members?: Readonly<Record<string, string>>;
  readonly rules?: readonly string[];
  /** Absences by user: `{ from: …, until: …, to: … }`. */
  readonly away?: Readonly<Record<string, string>>;
  /** The step of an action `remind`. */
  readonly remind?: string;
  /** Steps of the action before the last. */
  readonly steps?: readonly string[];
  readonly asks?: readonly string[];
  /** Another id of the action. */
  readonly approve?: string;
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
      - { id: legal, name: Legal, actions: [${more.approve ?? 'approve'}] }
      - { id: finance, name: Finance, actions: [${more.approve ?? 'approve'}] }
      - { id: staff, name: Staff, actions: [${more.approve ?? 'approve'}] }
      - { id: boss, name: Boss, admin: true }
    members: [${Object.entries(more.members ?? usualMembers)
      .map(([name, role]) => `{ email: ${name}@acme.test, role: ${role} }`)
      .join(', ')}]
    actions:
      - id: ${more.approve ?? 'approve'}
        name: Approve
        stages: [Review]
        fields: [${(more.asks ?? []).join(', ')}]
        requirements:
          approvals: { of: [${groups.map((group) => `{ ${group} }`).join(', ')}] }
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

/** A service for all tests of a file, whose vendors need these approvals, each a group as a flow mapping of YAML. */
export async function startApprovals(
  groups: readonly string[],
  more: DefinitionParts = {},
  environment = {},
) {
  const service = await startService(environment);
  afterAll(() => service.stop());
  const api = await service.clientOf(definition(groups, more));
  const admin = service.client(await service.key('acme', 'admin'));
  const approvals = service.app.get(ApprovalsService, { strict: false });
  const workspaces = service.app.get(Workspaces, { strict: false });
  const { id } = await service.dataSource.manager.findOneByOrFail(WorkspaceEntity, { slug: 'acme' });

  async function scopeOf(who: string): Promise<Scope> {
    const { users } = await workspaces.get(id);
    const userId = users.find(`${who}@acme.test`)?.id ?? '';
    const found = await workspaces.workflow(id, 'vendors', { userId });
    return new Scope(found, { userId }, undefined, new Origin({ user: userId }));
  }

  let made = 0;

  const groupsOf = async (task: string): Promise<ShownApproval[]> =>
    await api.read<ShownApproval[]>(`${vendors}/${task}/approvals`);

  return {
    ...{ service, api, admin, scopeOf, groupsOf },
    /** Applies other groups, and whatever else is said; the rules of an earlier test would run in later ones. */
    applyGroups: (others: readonly string[], parts: DefinitionParts = {}): Promise<void> =>
      service.apply(definition(others, parts), { isPruning: true }),
    /** What a person who is signed in decides. */
    decide: async (
      who: string,
      task: string,
      wanted: Partial<WantedDecision> = {},
    ): Promise<ShownApproval> => {
      const usual = { actionId: 'approve', groupId: 'legal', decision: 'approve' } as const;
      return approvals.decide(await scopeOf(who), task, { ...usual, ...wanted });
    },
    /** Performs an action, and returns the answer once its execution has ended. */
    perform: async (task: string, action = 'approve', performer?: string): Promise<Response> => {
      const by = performer === undefined ? {} : { performed_by: `${performer}@acme.test` };
      const body = { task_id: task, action_id: action, ...by };
      return api.post('/api/v1/workflows/vendors/executions', body).set('Prefer', 'wait=10');
    },
    /** What a person who is signed in changes of a task; a new one where there is none. */
    write: async (who: string, payload: Readonly<Record<string, unknown>>): Promise<void> => {
      const json = toJson(payload) as JsonObject;
      const write = { verb: 'upsert' as const, payload: json, precondition: noPrecondition };
      await service.app.get(TaskWriter, { strict: false }).write(await scopeOf(who), write);
    },
    /** A new vendor in Review, created by a key. */
    vendor: async (more: object = {}): Promise<string> => {
      const id = `V-${(made += 1)}`;
      await api.post(vendors, { 'Vendor ID': id, Stage: 'Review', ...more }).expect(201);
      return id;
    },
    /** What a key changes of a task. */
    change: async (task: string, values: object): Promise<void> => {
      await api.put(vendors, { 'Vendor ID': task, ...values }).expect(200);
    },
    /** Moves a task out of Review and back. */
    revisit: async (task: string): Promise<void> => {
      for (const Stage of ['Draft', 'Review'])
        await api.put(vendors, { 'Vendor ID': task, Stage }).expect(200);
    },
    groupOf: async (task: string, groupId = 'legal'): Promise<ShownApproval> => {
      const found = (await groupsOf(task)).find(({ id }) => id === groupId);
      if (!found) throw new Error(`no group ${groupId}`);
      return found;
    },
    unmet: async (task: string, performer?: string, action = 'approve'): Promise<string[]> => {
      const by = performer === undefined ? '' : `&performed_by=${performer}@acme.test`;
      const { body } = await api.get(`${vendors}/${task}/actions?_explain=true${by}`).expect(200);
      const all = body as readonly { readonly id: string; readonly unmet: string[] }[];
      return all.find(({ id }) => id === action)?.unmet ?? [];
    },
    /** The events of approvals of a task, the oldest first. */
    eventsOf: async (task: string): Promise<ApprovalEvent[]> => {
      const events = await admin.read<ApprovalEvent[]>('/api/v1/events');
      return events.filter(({ type, data }) => type.startsWith('approval.') && data.task.unique_id === task);
    },
    /** The groups that wait for a user, in pages of this length. */
    openFor: async (who: string, limit = 100): Promise<WaitingApproval[][]> => {
      const { workflows, users } = await workspaces.get(id);
      const user = users.find(`${who}@acme.test`);
      const pages: WaitingApproval[][] = [];
      for (let after: string | undefined = '0'; user && after !== undefined;) {
        const { rows, next } = await approvals.openFor([...workflows.values()], user, after, limit);
        pages.push([...rows]);
        after = next;
      }
      return pages;
    },
  };
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

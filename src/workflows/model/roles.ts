import { members } from './kinds/members.kind.js';
import { roles } from './kinds/roles.kind.js';
import { type RoleDefinition, rolesNamed } from './role-definition.js';
import { type WorkspaceRows } from './workspace-rows.js';

export interface Permissions extends Readonly<
  Pick<RoleDefinition, 'edits' | 'creates' | 'moves' | 'deletes'>
> {
  readonly sees: RoleDefinition['sees'] | 'none';
  /** The ids of the actions that the user may perform. */
  readonly actions: readonly string[] | 'all';
  /**
   * The rights of each role, if the user has several. A role gives rights only on tasks that it lets the user
   * see.
   */
  readonly each?: readonly Permissions[];
}

export interface Sight {
  /** The ids of the workflows in which the user sees all tasks. */
  readonly whole: readonly number[];
  /** The ids of the workflows in which the user sees only tasks that are assigned to the user. */
  readonly assigned: readonly number[];
}

export interface Administration {
  /** The ids of workflows in which the user has all rights. */
  readonly workflowIds: readonly number[];
  /** Whether the user administers all workflows. Such a user also administers what the workflows share. */
  readonly isWhole: boolean;
}

export const everything: Permissions = {
  sees: 'all',
  edits: 'all',
  creates: true,
  moves: 'any_stage',
  deletes: true,
  actions: 'all',
};

export const nothing: Permissions = {
  sees: 'none',
  edits: 'none',
  creates: false,
  moves: 'by_actions',
  deletes: false,
  actions: [],
};

/** Whether the rights are unlimited, apart from the right to perform actions. */
export function isFree(permissions: Permissions): boolean {
  const { each = [permissions] } = permissions;
  // On other people's tasks, only the roles that see all tasks give rights.
  const { sees, edits, creates, moves, deletes } = unionOf(each.filter(({ sees }) => sees === 'all'));
  return sees === 'all' && edits === 'all' && creates && moves === 'any_stage' && deletes;
}

export function unionOf(each: readonly Permissions[]): Permissions {
  const [first, ...others] = each;
  if (!first || others.length === 0) return first ?? nothing;
  const widest = <Value>(values: readonly Value[], of: (one: Permissions) => Value): Value | undefined =>
    values.find((value) => each.some((one) => of(one) === value));
  return {
    sees: widest(['all', 'assigned'] as const, ({ sees }) => sees) ?? 'none',
    edits: widest(['all', 'assigned'] as const, ({ edits }) => edits) ?? 'none',
    creates: each.some(({ creates }) => creates),
    moves: widest(['any_stage'] as const, ({ moves }) => moves) ?? 'by_actions',
    deletes: each.some(({ deletes }) => deletes),
    actions: each.flatMap(({ actions }) => (actions === 'all' ? [] : actions)),
    each,
  };
}

export class Roles {
  private readonly active: ReadonlySet<string>;
  private readonly workflowIds: readonly number[];
  private readonly roles: ReadonlyMap<number, ReadonlyMap<string, RoleDefinition>>;
  /** Maps the id of a workflow and then the id of a user to the ids of the roles that the user holds. */
  private readonly held: ReadonlyMap<number, ReadonlyMap<string, readonly string[]>>;
  private readonly sights = new Map<string, Sight>();
  private readonly holders = new Map<number, ReadonlyMap<string, readonly string[]>>();

  constructor({ users, workflows }: DefinedRoles) {
    this.active = new Set(users.filter(({ active }) => active).map(({ id }) => id));
    this.workflowIds = workflows.map(({ id }) => id);
    const withRoles = workflows.filter((workflow) => roles.in(workflow).length > 0);
    this.roles = new Map(
      withRoles.map((workflow) => [workflow.id, new Map(roles.in(workflow).map((role) => [role.id, role]))]),
    );
    const idOf = new Map(users.map(({ id, email }) => [email.toLowerCase(), id]));
    this.held = new Map(
      withRoles.map((workflow) => {
        const held = members.in(workflow).map((member) => {
          const userId = idOf.get(member.email.toLowerCase()) ?? '';
          return [userId, rolesNamed(member)] as const;
        });
        return [workflow.id, new Map(held)];
      }),
    );
  }

  /** The rights of a user in a workflow. If the workflow defines no roles, active users have all rights. */
  permissionsOf(userId: string, workflowId: number): Permissions {
    if (!this.active.has(userId)) return nothing;
    if (!this.roles.has(workflowId)) return everything;
    const roles = this.rolesOf(userId, workflowId);
    return roles.some(({ admin }) => admin) ? everything : unionOf(roles);
  }

  rolesOf(userId: string, workflowId: number): RoleDefinition[] {
    const held = this.held.get(workflowId)?.get(userId) ?? [];
    return held.flatMap((id) => this.roles.get(workflowId)?.get(id) ?? []);
  }

  /** The roles that may perform the action, each with the ids of the active users who hold it. */
  rolesFor(workflowId: number, actionId: string): readonly (readonly [RoleDefinition, readonly string[]])[] {
    const roles = [...(this.roles.get(workflowId)?.values() ?? [])];
    const holders = this.holdersIn(workflowId);
    return roles
      .filter(({ admin, actions }) => admin || actions.includes(actionId))
      .map((role) => [role, holders.get(role.id) ?? []]);
  }

  /** Maps each role of a workflow to its active holders. Cached, because there may be many users. */
  private holdersIn(workflowId: number): ReadonlyMap<string, readonly string[]> {
    const known = this.holders.get(workflowId);
    if (known) return known;
    const found = new Map<string, string[]>();
    for (const userId of this.active)
      for (const { id } of this.rolesOf(userId, workflowId))
        found.set(id, [...(found.get(id) ?? []), userId]);
    this.holders.set(workflowId, found);
    return found;
  }

  /** The workflows that an active user administers; undefined if no role of the user has `admin: true`. */
  administrationOf(userId: string): Administration | undefined {
    const isAdmin = (id: number): boolean => this.rolesOf(userId, id).some(({ admin }) => admin);
    if (!this.active.has(userId) || !this.workflowIds.some(isAdmin)) return undefined;
    // In a workflow without roles, every user has the rights of an administrator.
    const workflowIds = this.workflowIds.filter((id) => isAdmin(id) || !this.roles.has(id));
    return { workflowIds, isWhole: workflowIds.length === this.workflowIds.length };
  }

  sightOf(userId: string): Sight {
    const known = this.sights.get(userId);
    if (known) return known;
    const seen = (sees: Permissions['sees']): number[] =>
      this.workflowIds.filter((id) => this.permissionsOf(userId, id).sees === sees);
    const sight = { whole: seen('all'), assigned: seen('assigned') };
    // Caches the result only for active users, because the number of other ids is unlimited.
    if (this.active.has(userId)) this.sights.set(userId, sight);
    return sight;
  }
}

type DefinedRoles = Pick<WorkspaceRows, 'users' | 'workflows'>;

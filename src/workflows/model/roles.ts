import { type MemberEntity } from './entities/member.entity.js';
import { type RoleEntity } from './entities/role.entity.js';
import { type WorkspaceRows } from './workspace-rows.js';

export interface Permissions extends Readonly<Pick<RoleEntity, 'edits' | 'creates' | 'moves' | 'deletes'>> {
  readonly sees: RoleEntity['sees'] | 'none';
  /** The ids of the actions that they may perform. */
  readonly actions: readonly string[] | 'all';
  /** The rights of each role, if the user has several: they apply to the tasks that this role sees. */
  readonly each?: readonly Permissions[];
}

export interface Sight {
  /** The ids of workflows of which they see all tasks. */
  readonly whole: readonly number[];
  /** The ids of workflows in which they see their own tasks only. */
  readonly assigned: readonly number[];
}

export interface Administration {
  /** The ids of workflows in which the user has all rights. */
  readonly workflowIds: readonly number[];
  /** Whether the user administers all workflows, and so also what the workflows share. */
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

/** Whether these rights are unlimited, apart from actions. */
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

/** The ids of the roles that a member holds, in the order of the definition. */
export const roleIdsOf = ({
  roleId,
  furtherRoleIds,
}: Pick<MemberEntity, 'roleId' | 'furtherRoleIds'>): string[] => [roleId, ...furtherRoleIds];

export class Roles {
  private readonly active: ReadonlySet<string>;
  private readonly workflowIds: readonly number[];
  private readonly roles: ReadonlyMap<number, ReadonlyMap<string, RoleEntity>>;
  /** The roles that each user holds, by the ids of their workflows. */
  private readonly held: ReadonlyMap<string, ReadonlyMap<number, MemberEntity>>;
  private readonly sights = new Map<string, Sight>();
  private readonly holders = new Map<number, ReadonlyMap<string, readonly string[]>>();

  constructor({ users, workflows, roles, members }: DefinedRoles) {
    this.active = new Set(users.filter(({ active }) => active).map(({ id }) => id));
    this.workflowIds = workflows.map(({ id }) => id);
    this.roles = grouped(roles, ({ workflowId, id }) => [workflowId, id]);
    this.held = grouped(members, ({ userId, workflowId }) => [userId, workflowId]);
  }

  /** The rights of the user in the workflow with this id; none if they hold no role in it or are inactive. */
  permissionsOf(userId: string, workflowId: number): Permissions {
    if (!this.active.has(userId)) return nothing;
    if (!this.roles.has(workflowId)) return everything;
    const roles = this.rolesOf(userId, workflowId);
    return roles.some(({ isAdmin }) => isAdmin) ? everything : unionOf(roles);
  }

  rolesOf(userId: string, workflowId: number): RoleEntity[] {
    const member = this.held.get(userId)?.get(workflowId);
    return member ? roleIdsOf(member).flatMap((id) => this.roles.get(workflowId)?.get(id) ?? []) : [];
  }

  /** Whether the action is limited to some roles of the workflow, apart from administrators. */
  isForSome(workflowId: number, actionId: string): boolean {
    const roles = [...(this.roles.get(workflowId)?.values() ?? [])].filter(({ isAdmin }) => !isAdmin);
    return roles.some(({ actions }) => !actions.includes(actionId));
  }

  /** The roles that may perform the action, each with the ids of the active users who hold it. */
  rolesFor(workflowId: number, actionId: string): readonly (readonly [RoleEntity, readonly string[]])[] {
    const roles = [...(this.roles.get(workflowId)?.values() ?? [])];
    const holders = this.holdersIn(workflowId);
    return roles
      .filter(({ isAdmin, actions }) => isAdmin || actions.includes(actionId))
      .map((role) => [role, holders.get(role.id) ?? []]);
  }

  /** The holders of each role of a workflow. Computed once, because there may be many users. */
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

  /** What the user administers; undefined if none of their roles has `admin: true`. */
  administrationOf(userId: string): Administration | undefined {
    const isAdmin = (id: number): boolean => this.rolesOf(userId, id).some((role) => role.isAdmin);
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
    // Cached for real users only, because the number of other ids is unlimited.
    if (this.active.has(userId)) this.sights.set(userId, sight);
    return sight;
  }
}

type DefinedRoles = Pick<WorkspaceRows, 'users' | 'workflows' | 'roles' | 'members'>;

function grouped<Row, Outer, Inner>(
  rows: readonly Row[],
  keysOf: (row: Row) => readonly [Outer, Inner],
): ReadonlyMap<Outer, ReadonlyMap<Inner, Row>> {
  const groups = new Map<Outer, Map<Inner, Row>>();
  for (const row of rows) {
    const [outer, inner] = keysOf(row);
    const known = groups.get(outer);
    if (known) known.set(inner, row);
    else groups.set(outer, new Map([[inner, row]]));
  }
  return groups;
}

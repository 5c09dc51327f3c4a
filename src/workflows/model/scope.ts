import { Origin } from '../../common/origin.js';
import { type Deadline } from '../../../packages/fair/deadline.js';
import { type User } from '../fields/field-type.js';
import { notFound } from '../../common/errors.js';
import { narrowedPermissions, narrowedWorkflow } from './narrowing.js';
import { everything, isFree, nothing, type Permissions, type Sight } from './roles.js';
import { type Viewer } from './known.js';
import { type Workflow } from './workspace.js';

/** The scope of a request: its workflow, viewer and deadline, and the origin of its events. */
export class Scope {
  readonly workspaceId: number;
  /** The workflow as the viewer sees it: a narrowed key sees only a part. */
  readonly workflow: Workflow;
  /** The id of the key, or of the user if there is no key. Each id has its own limit on simultaneous work. */
  readonly keyId: string | undefined;
  /** The limits of the viewer's roles, or of a key that may only create tasks; undefined without limits. */
  readonly bound: Bound | undefined;

  constructor(
    workflow: Workflow,
    /** The caller; undefined for work of the service itself. */
    readonly viewer?: Viewer,
    readonly deadline?: Deadline,
    readonly origin?: Origin,
  ) {
    this.workspaceId = workflow.workspaceId;
    this.workflow = viewer ? narrowedWorkflow(workflow, viewer) : workflow;
    this.keyId = viewer?.keyId ?? viewer?.userId;
    this.bound = boundOf(workflow, viewer);
  }

  /** The scope of the same request in another workflow, or in a newer version of the same workflow. */
  in(workflow: Workflow): Scope {
    return new Scope(workflow, this.viewer, this.deadline, this.origin);
  }

  /** The scope of the same request, but its changes start no rules and notify nobody. */
  silenced(): Scope {
    const origin = new Origin({ ...this.origin?.source, silent: true });
    return new Scope(this.workflow, this.viewer, this.deadline, origin);
  }
}

/** Whether the viewer is a person signed in to the console; false for a key, even if it acts as a user. */
export const isSignedIn = ({ viewer }: Scope): boolean => viewer !== undefined && viewer.keyId === undefined;

/**
 * Returns the user who acts, directly or through a key. Undefined if no user acts; 404 if the user was
 * removed.
 */
export function userOf({ viewer, workflow }: Scope): User | undefined {
  if (viewer?.userId === undefined) return undefined;
  const user = workflow.schema.users.get(viewer.userId);
  if (!user) throw notFound();
  return user;
}

function boundOf(workflow: Workflow, viewer: Viewer | undefined): Bound | undefined {
  const bound = viewer?.userId === undefined ? undefined : boundOfUser(workflow, viewer.userId);
  if (viewer?.narrowing?.creates) return creating(viewer, bound?.permissions);
  if (!viewer?.narrowing || !bound) return bound;
  return { ...bound, permissions: narrowedPermissions(bound.permissions) };
}

/** The limits of a key that may only create tasks. The key sees no tasks, not even those that it created. */
function creating({ userId = '' }: Viewer, { creates, moves } = everything): Bound {
  const permissions: Permissions = { ...nothing, creates, moves };
  return { userId, permissions, sight: { whole: [], assigned: [] } };
}

function boundOfUser({ id, schema, permissions: roles }: Workflow, userId: string): Bound | undefined {
  const permissions = roles.permissionsOf(userId, id);
  const sight = roles.sightOf(userId);
  const linked = Array.from(schema.links.values(), ({ otherWorkflowId }) => otherWorkflowId);
  const isUnbound = isFree(permissions) && linked.every((other) => sight.whole.includes(other));
  return isUnbound ? undefined : { userId, permissions, sight };
}

/**
 * What a limited user or key may do, and which tasks they see. `userId` is empty for a key without a user.
 */
export interface Bound {
  readonly userId: string;
  readonly permissions: Permissions;
  readonly sight: Sight;
}

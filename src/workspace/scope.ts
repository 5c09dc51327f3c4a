import { Origin } from '../database/origin.js';
import { type StaleReads } from '../database/replica.js';
import { type Spent } from '../../packages/fair/spent.js';
import { type Deadline } from '../../packages/fair/deadline.js';
import { type User } from '../schema/field-type.js';
import { notFound } from '../lib/errors.js';
import { type Narrowing } from '../entities/column-values.js';
import { narrowedPermissions, narrowedWorkflow } from './narrowing.js';
import { isFree, type Permissions, type Sight } from './roles.js';
import { type Workflow } from './workspace.js';

/** What a request works in: a workflow, who asks, until when, and what its events say where they come from. */
export class Scope {
  readonly workspaceId: number;
  /** As the viewer has it: a narrowed key has less of it than others. */
  readonly workflow: Workflow;
  /** Whose share of the service the work takes. */
  readonly keyId: string | undefined;
  /** What binds the viewer; undefined where nothing does. */
  readonly bound: Bound | undefined;

  constructor(
    workflow: Workflow,
    /** Who asks; undefined where the service itself is at work. */
    readonly viewer?: Viewer,
    readonly deadline?: Deadline,
    readonly origin?: Origin,
    /** Counts what the work takes, where that is not the deadline's. */
    readonly spent?: Spent,
    /** What it may read that is a little old; it writes nothing then. */
    readonly stale?: StaleReads | undefined,
  ) {
    this.workspaceId = workflow.workspaceId;
    this.workflow = viewer?.narrowing ? narrowedWorkflow(workflow, viewer.narrowing) : workflow;
    this.keyId = viewer?.keyId ?? viewer?.userId;
    this.bound = boundOf(workflow, viewer);
  }

  /** The scope of the same request in another workflow, or in this one by another definition. */
  in(workflow: Workflow): Scope {
    return new Scope(workflow, this.viewer, this.deadline, this.origin, undefined, this.stale);
  }

  /** The scope of the same request, which takes answers that are a little old. */
  reading(stale: StaleReads | undefined): Scope {
    return new Scope(this.workflow, this.viewer, this.deadline, this.origin, this.spent, stale);
  }

  /** The scope of the same request, of whose changes no rule and no notification is to come; they came by way of `via`. */
  silenced(via = this.origin?.source.via): Scope {
    const origin = new Origin({ ...this.origin?.source, via, silent: true });
    return new Scope(this.workflow, this.viewer, this.deadline, origin);
  }
}

/** Whether a person asks who is signed in to the pages: a key is none, whoever made it or it acts as. */
export const isSignedIn = ({ viewer }: Scope): boolean => viewer !== undefined && viewer.keyId === undefined;

/** The user who asks, or as whom the key acts; undefined for other keys. Throws where the user is gone: nobody may act in their place. */
export function userOf({ viewer, workflow }: Scope): User | undefined {
  if (viewer?.userId === undefined) return undefined;
  const user = workflow.schema.users.get(viewer.userId);
  if (!user) throw notFound();
  return user;
}

function boundOf(workflow: Workflow, viewer: Viewer | undefined): Bound | undefined {
  const bound = viewer?.userId === undefined ? undefined : boundOfUser(workflow, viewer.userId);
  if (!viewer?.narrowing || !bound) return bound;
  return { ...bound, permissions: narrowedPermissions(bound.permissions) };
}

function boundOfUser({ id, schema, permissions: roles }: Workflow, userId: string): Bound | undefined {
  const permissions = roles.permissionsOf(userId, id);
  const sight = roles.sightOf(userId);
  const linked = Array.from(schema.links.values(), ({ otherWorkflowId }) => otherWorkflowId);
  const isUnbound = isFree(permissions) && linked.every((other) => sight.whole.includes(other));
  return isUnbound ? undefined : { userId, permissions, sight };
}

/** Who looks at tasks and works with them: a key, which no role binds unless it acts as a user, or a user, whom the role in each workflow binds. */
export type Viewer = KeyViewer | UserViewer;

export interface KeyViewer {
  readonly keyId: string;
  /** The internal id of the user as whom the key acts. */
  readonly userId?: string | undefined;
  readonly narrowing?: Narrowing | undefined;
}

interface UserViewer {
  /** The internal id. */
  readonly userId: string;
  readonly keyId?: undefined;
  readonly narrowing?: undefined;
}

/** What binds a user, or a key that acts as one, who may not do everything in a workflow or does not see all that is linked to its tasks. */
export interface Bound {
  readonly userId: string;
  readonly permissions: Permissions;
  readonly sight: Sight;
}

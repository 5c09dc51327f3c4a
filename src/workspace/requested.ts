import { Origin } from '../database/origin.js';
import { type Deadline } from '../lib/deadline.js';
import { notFound } from '../lib/errors.js';
import { type User } from '../schema/field-type.js';
import { isFree } from './roles.js';
import { type Bound, type Viewer } from './viewer.js';
import { type Workflow } from './workspace.js';

/** A request for a workflow: whose it is, under which id, and until when. */
export interface WorkflowRequest {
  readonly viewer: Viewer | undefined;
  readonly requestId?: string | undefined;
  readonly deadline?: Deadline | undefined;
}

/** The workflow as a request has it. */
export function requested(workflow: Workflow, { viewer, requestId, deadline }: WorkflowRequest): Workflow {
  const { keyId, userId } = viewer ?? {};
  const origin = new Origin({ key: keyId, user: userId, request: requestId });
  return { ...workflow, viewer, keyId: keyId ?? userId, deadline, origin, bound: boundOf(workflow, viewer) };
}

/** What the same request has by another definition. */
export function requestedAgain(current: Workflow, { viewer, keyId, deadline, origin }: Workflow): Workflow {
  return { ...current, viewer, keyId, deadline, origin, bound: boundOf(current, viewer) };
}

/** The user that the workflow was found for, if it was one. Without this one nobody would act, whom nothing binds: so it throws. */
export function userOf({ viewer, schema }: Workflow): User | undefined {
  if (viewer?.userId === undefined) return undefined;
  const user = schema.users.get(viewer.userId);
  if (!user) throw notFound();
  return user;
}

/** Why a user names nobody else as who acts. */
export const notYou = 'is somebody else: you act for yourself';

/** Whether this viewer knows of the workflow; a user knows none of which they see no task. */
export function isKnownTo(viewer: Viewer | undefined, { id, permissions }: Workflow): boolean {
  return viewer?.userId === undefined || permissions.permissionsOf(viewer.userId, id).sees !== 'none';
}

function boundOf(
  { id, schema, permissions: roles }: Workflow,
  viewer: Viewer | undefined,
): Bound | undefined {
  if (viewer?.userId === undefined) return undefined;
  const { userId } = viewer;
  const permissions = roles.permissionsOf(userId, id);
  const sight = roles.sightOf(userId);
  const linked = Array.from(schema.links.values(), ({ otherWorkflowId }) => otherWorkflowId);
  const isUnbound = isFree(permissions) && linked.every((other) => sight.whole.includes(other));
  return isUnbound ? undefined : { userId, permissions, sight };
}

import { approvalsFollower } from '../approvals/approvals-follower.js';
import { clocksFollower } from '../clocks/clocks-follower.js';
import { type Follower } from '../events/follower.js';
import { notificationsFollower } from '../notifications/notifications-follower.js';
import { rulesFollower } from '../rules/rules-follower.js';
import { type WorkspaceDefinition } from '../workspace/definition.js';
import { type Projection } from '../followers/rebuild.js';

/** Whatever follows the feed. */
export const followers: readonly Follower[] = [
  approvalsFollower,
  clocksFollower,
  rulesFollower,
  notificationsFollower,
];

/** Those that can be rebuilt. */
export const projections = followers.filter(
  (follower): follower is Projection => follower.rebuild !== undefined,
);

/** The names of those that a workspace of this definition has. */
export function wantedFollowers(definition: WorkspaceDefinition): string[] {
  return followers.filter((follower) => follower.wants(definition)).map(({ name }) => name);
}

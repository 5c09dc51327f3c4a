import { approvalsFollower } from '../approvals/approvals-follower.js';
import { clocksFollower } from '../clocks/clocks-follower.js';
import { type Follower } from '../events/follower.js';
import { notificationsFollower } from '../notifications/notifications-follower.js';
import { rulesFollower } from '../rules/rules-follower.js';
import { type WorkspaceDefinition } from '../workspace/definition.js';

/** Everything that follows the feed of events. */
export const followers: readonly Follower[] = [
  approvalsFollower,
  clocksFollower,
  rulesFollower,
  notificationsFollower,
];

/** The names of the followers that a workspace with this definition needs. */
export function wantedFollowers(definition: WorkspaceDefinition): string[] {
  return followers.filter((follower) => follower.wants(definition)).map(({ name }) => name);
}

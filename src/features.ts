import { type FeatureNames, nameAll } from './common/named-by-features.js';
import { type Holder } from '../packages/fair/semaphore.js';
import { actionsFeature } from './actions/feature.js';
import { approvalsFeature } from './approvals/feature.js';
import { attachmentsFeature } from './attachments/feature.js';
import { authFeature } from './access/feature.js';
import { calendarFeature } from './automation/calendar/feature.js';
import { checklistsFeature } from './checklists/feature.js';
import { clocksFeature } from './automation/clocks/feature.js';
import { commentsFeature } from './comments/feature.js';
import { eventsFeature } from './events/feature.js';
import { executionsFeature } from './executions/feature.js';
import { figuresFeature } from './automation/figures/feature.js';
import { formsFeature } from './automation/forms/feature.js';
import { httpFeature } from './common/http/feature.js';
import { linksFeature } from './links/feature.js';
import { messagesFeature } from './messages/feature.js';
import { notificationsFeature } from './messages/inbox/feature.js';
import { rulesFeature } from './automation/rules/feature.js';
import { schedulesFeature } from './automation/schedules/feature.js';
import { tasksFeature } from './tasks/feature.js';
import { timersFeature } from './automation/timers/feature.js';
import { webhooksFeature } from './webhooks/feature.js';
import { workspaceFeature } from './workflows/model/feature.js';
import { type Leftovers } from './common/database/leftovers.js';
import { type AnyFollower } from './events/follower.js';
import { type JobKind, type PeriodicSweep, type Sweep } from './common/ops/job-kind.js';
import { followersImpact } from './events/followers/followers.impact.js';
import { type Report, type WorkflowScope } from './workflows/model/check/kit.js';
import { type Impact } from './workflows/model/impact.js';
import { type Kind } from './workflows/model/kind.js';

/** The parts that a folder adds to the service. */
export interface Feature extends FeatureNames {
  /** Its lists in a definition. */
  readonly kinds?: readonly Kind[];
  /** The effects of a changed definition on its rows. */
  readonly impact?: Impact;
  /** Checks a workflow as a whole, and reports its faults. */
  readonly checkWorkflow?: (scope: WorkflowScope, report: Report) => void;
  /** The classes of its tables. */
  readonly entities?: readonly (new () => object)[];
  /** Work that is due row by row. */
  readonly jobs?: readonly JobKind<Holder, unknown>[];
  /** Work on all due rows at once. */
  readonly sweeps?: readonly Sweep[];
  readonly periodic?: readonly PeriodicSweep[];
  /** Its rows that can be deleted some time after they ended. */
  readonly leftovers?: readonly Leftovers[];
  /** Its followers of events. */
  readonly followers?: readonly AnyFollower[];
  /** Its controllers and providers. */
  readonly modules?: readonly (new () => object)[];
}

// Definitions have their lists in this order, and modules shut down in reverse order. The guard of `HttpModule` runs
// after the guards of keys.
export const features: readonly Feature[] = [
  workspaceFeature,
  authFeature,
  httpFeature,
  // Express tries routes in this order, and most requests are for tasks.
  tasksFeature,
  actionsFeature,
  attachmentsFeature,
  checklistsFeature,
  commentsFeature,
  eventsFeature,
  notificationsFeature,
  linksFeature,
  executionsFeature,
  rulesFeature,
  clocksFeature,
  figuresFeature,
  schedulesFeature,
  timersFeature,
  formsFeature,
  calendarFeature,
  approvalsFeature,
  webhooksFeature,
  messagesFeature,
];

nameAll(features);

export const entities = features.flatMap((feature) => feature.entities ?? []);
export const followers = features.flatMap((feature) => feature.followers ?? []);
export const impactsOfFeatures: readonly Impact[] = [
  ...features.flatMap(({ impact }) => impact ?? []),
  followersImpact(followers),
];

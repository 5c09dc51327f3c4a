import { type FeatureNames, nameAll } from './common/named-by-features.js';
import { type Holder } from '../packages/fair/semaphore.js';
import { actionsFeature } from './actions/actions.module.js';
import { approvalsFeature } from './approvals/approvals.module.js';
import { attachmentsFeature } from './attachments/attachments.module.js';
import { authFeature } from './access/auth.module.js';
import { calendarFeature } from './automation/calendar/calendar.module.js';
import { checklistsFeature } from './checklists/checklists.module.js';
import { clocksFeature } from './automation/clocks/clocks.module.js';
import { commentsFeature } from './comments/comments.module.js';
import { eventsFeature } from './events/events.module.js';
import { executionsFeature } from './executions/executions.module.js';
import { figuresFeature } from './automation/figures/figures.module.js';
import { formsFeature } from './automation/forms/forms.module.js';
import { httpFeature } from './common/http/http.module.js';
import { linksFeature } from './links/links.module.js';
import { messagesFeature } from './messages/messages.module.js';
import { notificationsFeature } from './messages/inbox/notifications.module.js';
import { rulesFeature } from './automation/rules/rules.module.js';
import { schedulesFeature } from './automation/schedules/feature.js';
import { tasksFeature } from './tasks/tasks.module.js';
import { timersFeature } from './automation/timers/timers.module.js';
import { webhooksFeature } from './webhooks/webhooks.module.js';
import { workspaceFeature } from './workflows/model/workspace.module.js';
import { type Leftovers } from './common/database/leftovers.js';
import { type AnyFollower } from './events/follower.js';
import { type JobKind, type PeriodicSweep, type Sweep } from './common/ops/job-kind.js';
import { type GaugesOfDatabase } from './common/ops/metrics.js';
import { followersImpact } from './events/followers/followers.repository.js';
import { type Report, type WorkflowScope } from './workflows/model/check/kit.js';
import { type Impact } from './workflows/model/impact.js';
import { type Kind } from './workflows/model/kind.js';

/** What one feature adds to the service. Usually, a feature is one folder. */
export interface Feature extends FeatureNames {
  /** The feature's lists in a definition. */
  readonly kinds?: readonly Kind[];
  /** What a changed definition does to the feature's rows. */
  readonly impact?: Impact;
  readonly checkWorkflow?: (scope: WorkflowScope, report: Report) => void;
  readonly entities?: readonly (new () => object)[];
  /** Work that is due row by row. */
  readonly jobs?: readonly JobKind<Holder, unknown>[];
  /** Work on all due rows at once. */
  readonly sweeps?: readonly Sweep[];
  readonly periodic?: readonly PeriodicSweep[];
  /** The feature's tables whose old rows are deleted. */
  readonly leftovers?: readonly Leftovers[];
  readonly gauges?: GaugesOfDatabase;
  readonly followers?: readonly AnyFollower[];
  readonly modules?: readonly (new () => object)[];
}

// The lists of a definition have this order, and modules shut down in reverse order. The guards of
// `httpFeature` run after the guards of `authFeature`, which find the key.
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

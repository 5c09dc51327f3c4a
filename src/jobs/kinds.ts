import { type Holder } from '../../packages/fair/semaphore.js';
import { type JobKind, type Sweep } from '../ops/job-kind.js';
import { delivery } from '../webhooks/delivery.job.js';
import { approvalSweep } from '../approvals/approval-expiry.job.js';
import { clockKind } from '../clocks/clock.job.js';
import { clockSweep } from '../clocks/clock-changes.job.js';
import { execution } from '../executions/execution.job.js';
import { followFeeds } from '../followers/follow.job.js';
import { message } from '../executions/message.job.js';
import { notificationMail } from '../notifications/mail/notification-mail.job.js';
import { indexSweep } from '../task-store/index-fill.job.js';
import { followers } from '../definitions/followers.js';
import { timer } from '../schedules/timer.job.js';
import { scheduleFiring } from '../schedules/schedule.job.js';
import { waitingRunSweep } from '../rules/waiting-runs.job.js';

export const jobKinds = [
  delivery,
  message,
  notificationMail,
  execution,
  followFeeds(followers),
  clockKind,
  scheduleFiring,
  timer,
] as unknown as readonly JobKind<Holder, unknown>[];

/** Work that is done for all workspaces at once. */
export const sweeps: readonly Sweep[] = [indexSweep, waitingRunSweep, clockSweep, approvalSweep];

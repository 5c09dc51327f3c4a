import { type Holder } from '../../packages/fair/semaphore.js';
import { type JobKind, type Sweep } from './job-kind.js';
import { delivery } from './kinds/delivery.js';
import { approvalSweep } from './kinds/approval-sweep.js';
import { clockKind } from './kinds/clock.js';
import { clockSweep } from './kinds/clock-sweep.js';
import { execution } from './kinds/execution.js';
import { follow } from './kinds/follow.js';
import { message } from './kinds/message.js';
import { notificationMail } from './kinds/notification-mail.js';
import { leftoverSweep } from './kinds/leftover-sweep.js';
import { indexSweep } from './kinds/index-sweep.js';
import { blobSweep } from './kinds/blob-sweep.js';
import { eventSweep } from './kinds/event-sweep.js';
import { executionSweep } from './kinds/execution-sweep.js';
import { timer } from './kinds/timer.js';
import { scheduleFiring } from './kinds/schedule.js';
import { zoneSweep } from './kinds/zone-sweep.js';
import { waitingRunSweep } from './kinds/waiting-run-sweep.js';

export const jobKinds = [
  delivery,
  message,
  notificationMail,
  execution,
  follow,
  clockKind,
  scheduleFiring,
  timer,
] as unknown as readonly JobKind<Holder, unknown>[];

/** All work that is repeated. */
export const sweeps: readonly Sweep[] = [
  indexSweep,
  leftoverSweep,
  blobSweep,
  eventSweep,
  executionSweep,
  waitingRunSweep,
  clockSweep,
  zoneSweep,
  approvalSweep,
];

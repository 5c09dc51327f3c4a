import { type Describer } from './openapi/general-document.js';
import { describeApprovals, describeOpenApprovals } from './approvals/approvals.openapi.js';
import { describeAttachments } from './attachments/attachments.openapi.js';
import { describeChecklists } from './checklists/checklists.openapi.js';
import { describeComments } from './comments/comments.openapi.js';
import { describeDefinition } from './definitions/definitions.openapi.js';
import { describeEvents } from './events/events.openapi.js';
import { describeExecutions } from './executions/executions.openapi.js';
import { describeHooks } from './rules/hooks/hooks.openapi.js';
import { describeLinks } from './links/links.openapi.js';
import { describeClocks } from './clocks/clocks.openapi.js';
import { describeRules } from './rules/rules.openapi.js';
import { describeSchedules } from './schedules/schedules.openapi.js';
import { describeService } from './docs/service.openapi.js';
import { describeWebhooks } from './webhooks/webhooks.openapi.js';
import { describeMessages } from './messages/messages.openapi.js';
import { describeTimers } from './timers/timers.openapi.js';
import { describeTasks } from './tasks/tasks.openapi.js';

/** All describers of the API, in the order of their groups in the document. */
export const describers: readonly Describer[] = [
  describeTasks,
  describeLinks,
  describeAttachments,
  describeChecklists,
  describeComments,
  describeExecutions,
  describeApprovals,
  describeOpenApprovals,
  describeRules,
  describeClocks,
  describeSchedules,
  describeTimers,
  describeEvents,
  describeWebhooks,
  describeMessages,
  describeHooks,
  describeDefinition,
  describeService,
];

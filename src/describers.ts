import { type Describer } from './openapi/general-document.js';
import { describeAttachments } from './openapi/operations/attachments.js';
import { describeChecklists } from './openapi/operations/checklists.js';
import { describeComments } from './openapi/operations/comments.js';
import { describeDefinition } from './openapi/operations/definition.js';
import { describeExecutions } from './openapi/operations/executions.js';
import { describeLinks } from './openapi/operations/links.js';
import { describeService } from './openapi/operations/service.js';
import { describeTasks } from './openapi/operations/tasks.js';

/** What describes the whole interface, in the order in which readers find its groups. */
export const describers: readonly Describer[] = [
  describeTasks,
  describeLinks,
  describeAttachments,
  describeChecklists,
  describeComments,
  describeExecutions,
  describeDefinition,
  describeService,
];

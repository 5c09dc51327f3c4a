import { actions } from '../actions/actions.kind.js';
import { clocks } from '../clocks/clocks.kind.js';
import { channels } from '../messages/channels.kind.js';
import { rules } from '../rules/rules.kind.js';
import { schedules } from '../schedules/schedules.kind.js';
import { webhooks } from '../webhooks/webhooks.kind.js';
import { type Kind } from '../workspace/kind.js';
import { calendars } from '../workspace/kinds/calendars.kind.js';
import { checklistItems } from '../workspace/kinds/checklist.kind.js';
import { fields } from '../workspace/kinds/fields.kind.js';
import { members } from '../workspace/kinds/members.kind.js';
import { relationships } from '../workspace/kinds/relationships.kind.js';
import { roles } from '../workspace/kinds/roles.kind.js';
import { stages } from '../workspace/kinds/stages.kind.js';
import { users } from '../workspace/kinds/users.kind.js';
import { views } from '../workspace/kinds/views.kind.js';
import { workflowsOf } from './workflows.kind.js';

/** The lists of a workflow, in the order of the document. What an element names stands before it. */
export const workflowKinds: readonly Kind<object, 'workflow'>[] = [
  stages,
  fields,
  checklistItems,
  roles,
  members,
  actions,
  rules,
  clocks,
  schedules,
];

/** The lists of a workspace. */
export const workspaceKinds: readonly Kind<object, 'workspace'>[] = [
  users,
  workflowsOf(workflowKinds),
  relationships,
  webhooks,
  channels,
  calendars,
  views,
];

/** The lists within a workspace, or within an element of a kind. */
export const kindsWithin = (holding: string): readonly Kind[] =>
  [...workspaceKinds, ...workflowKinds].filter(({ of }) => of === holding);

/** All lists of a definition. */
export const kinds: readonly Kind[] = [...workspaceKinds, ...workflowKinds];

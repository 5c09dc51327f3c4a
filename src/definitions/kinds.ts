import { features } from '../features.js';
import { type Kind } from '../workspace/kind.js';
import { isShown } from '../workspace/shown-kind.js';
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

const isOfWorkflow = (kind: Kind): kind is Kind<object, 'workflow'> => kind.of === 'workflow';
const isOfWorkspace = (kind: Kind): kind is Kind<object, 'workspace'> => kind.of === 'workspace';

const ofFeatures = features.flatMap(({ kinds }) => kinds ?? []);

/** The lists of a workflow, in the order of the document. What an element names stands before it. */
export const workflowKinds = [
  ...[stages, fields, checklistItems, roles, members],
  ...ofFeatures.filter(isOfWorkflow),
];

/** The lists of a workspace. */
export const workspaceKinds = [
  ...[users, workflowsOf(workflowKinds), relationships],
  ...ofFeatures.filter(isOfWorkspace),
  ...[calendars, views],
];

/** The lists within a workspace, or within an element of a kind. */
export const kindsWithin = (holding: string): readonly Kind[] =>
  [...workspaceKinds, ...workflowKinds].filter(({ of }) => of === holding);

/** All lists of a definition. */
export const kinds: readonly Kind[] = [...workspaceKinds, ...workflowKinds];

/** The lists whose elements the API shows. */
export const shownKinds = kinds.filter(isShown);

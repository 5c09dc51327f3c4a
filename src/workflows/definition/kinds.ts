import { features } from '../../features.js';
import { type Kind } from '../model/kind.js';
import { isShown } from '../model/shown-kind.js';
import { calendars } from '../model/kinds/calendars.kind.js';
import { checklistItems } from '../model/kinds/checklist.kind.js';
import { fields } from '../model/kinds/fields.kind.js';
import { members } from '../model/kinds/members.kind.js';
import { relationships } from '../model/kinds/relationships.kind.js';
import { roles } from '../model/kinds/roles.kind.js';
import { stages } from '../model/kinds/stages.kind.js';
import { users } from '../model/kinds/users.kind.js';
import { views } from '../model/kinds/views.kind.js';
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

import { features, impactsOfFeatures } from '../../features.js';
import { type Impact } from '../model/impact.js';
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

/**
 * The kinds of lists in a workflow, in the order of a document. The rows of a list refer only to rows of
 * earlier lists.
 */
export const workflowKinds = [
  ...[stages, fields, checklistItems, roles, members],
  ...ofFeatures.filter(isOfWorkflow),
];

const checks = features.flatMap(({ checkWorkflow }) => checkWorkflow ?? []);

export const workspaceKinds = [
  ...[users, workflowsOf(workflowKinds, checks), relationships],
  ...ofFeatures.filter(isOfWorkspace),
  ...[calendars, views],
];

/**
 * The kinds of lists in a workspace, or in the elements of another kind. `holding` is `workspace` or the name
 * of that kind.
 */
export const kindsWithin = (holding: string): readonly Kind[] =>
  [...workspaceKinds, ...workflowKinds].filter(({ of }) => of === holding);

export const kinds: readonly Kind[] = [...workspaceKinds, ...workflowKinds];

export const shownKinds = kinds.filter(isShown);

/** What an apply changes besides the rows of the definition itself. */
export const impacts: readonly Impact[] = [...impactsOfFeatures, ...kinds];

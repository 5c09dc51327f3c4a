import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { JsonText } from '../../../packages/exact-json/json.js';
import { type Guard, lockedIn, oppositeSide } from '../../workflows/fields/protection.js';
import { type Property } from '../../workflows/fields/property.js';
import { type LinkedTask, type TaskView } from '../../workflows/fields/task-view.js';
import { type Stage, type TaskSchema } from '../../workflows/fields/task-schema.js';
import { type AskedField, type Output } from '../../workflows/fields/field-type.js';
import { type Notice } from '../parts/notices.js';
import { type Formatted } from '../parts/markdown.js';
import { mayMove } from '../../workflows/model/allowed.js';
import { type TaskData } from './task-data.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Message } from '../../common/message.js';
import { isAvailable } from '../../actions/action.js';
import { type ExplainedAction } from '../../actions/actions.service.js';
import { type PageApproval, type ShownDecision } from '../../approvals/approval.dto.js';
import { executionPath } from '../admin/executions-page.js';

export interface TaskPageView extends TaskData, ShownForm {
  readonly path: string;
  readonly formatted: Formatted;
  readonly isEditable: boolean;
  /** The id of the execution that the reader started just now. If there is none, the id of a pending one. */
  readonly execution: string | undefined;
}

/** The open editors and dialogs of the page, and the outcome of its forms. */
export interface ShownForm {
  /** The status of the response; 200 by default. */
  readonly status?: number;
  readonly edit?: string | undefined;
  readonly confirm?: string | undefined;
  /** The outcome of the last form or of an execution. The controls of a refused form keep their values. */
  readonly notice?: Notice | undefined;
  /** Whether the form was refused because the task has changed since the form was rendered. */
  readonly isConflict?: boolean;
}

const View = createContext<TaskPageView | undefined>(undefined);
export const TaskViewProvider = View.Provider;

export function useTask(): TaskPageView {
  const view = useContext(View);
  if (!view) throw new Error('A part of the task page was rendered outside the task page.');
  return view;
}

export interface FieldProps {
  readonly property: Property;
}

export function shownValueOf(property: Property, { task }: { readonly task: TaskView }): Output {
  const value = property.serialize(task);
  return value instanceof JsonText ? null : value;
}

/** Whether a value is blank. An unticked checkbox counts as blank. */
export const isBlankValue = (value: Output): boolean =>
  value === null || value === false || (Array.isArray(value) && value.length === 0);

export function placeOfTask({ name, fieldId, links }: Property): string {
  return `at-${fieldId ?? links?.side.replace(/[<>]/, (side) => (side === '>' ? 'to-' : 'from-')) ?? name.replace(/\W/g, '-')}`;
}

type Placed = Pick<TaskData, 'scope' | 'task'>;

export const stageOf = ({ scope, task }: Placed): Stage => scope.workflow.schema.stages.get(task.stageId);

/** The guard that forbids users to change this property, whatever the stage; undefined without a guard. */
export function guardOf({ guards }: TaskSchema, { fieldId, links }: Property): Guard | undefined {
  return guards.payload.get(fieldId ?? links?.side ?? '');
}

/** Why users may not change this property in the current stage of the task; undefined if they may. */
export function keptOf({ scope, task }: Placed, property: Property): Message | undefined {
  const { schema } = scope.workflow;
  const { fieldId, links, name } = property;
  const lock = schema.locks.own.get(task.stageId);
  const locked = lock?.barred.has(fieldId ?? links?.side ?? name) ? lockedIn(lock) : undefined;
  return guardOf(schema, property)?.changing ?? locked;
}

/**
 * Whether the reader can change this property. If the reader may edit the task but not this property, `why`
 * is the reason.
 */
export function editingOf(view: TaskPageView, property: Property): Editing {
  const why = view.isEditable ? keptOf(view, property) : undefined;
  return { isOpen: view.isEditable && why === undefined, why };
}

interface Editing {
  readonly isOpen: boolean;
  readonly why: Message | undefined;
}

/** Whether the stage of a linked task locks its link to this task. */
export function isLinkLocked({ scope }: Placed, { side, stageId }: LinkedTask): boolean {
  const lock = scope.workflow.schema.locks.far(side).get(stageId);
  return lock?.barred.has(oppositeSide(side)) === true;
}

/**
 * Returns the control for a property of a task, or of a new task if `task` is absent. Undefined if this
 * reader has no control for the property.
 */
export function askedBy(
  { view, filter, files }: Property,
  scope: Scope,
  task?: TaskData['task'],
): AskedField | undefined {
  if (files) return undefined;
  if (filter?.subject.of === 'stage')
    return mayMove(scope, task) ? stageChoice(scope.workflow.schema) : undefined;
  if (filter?.subject.of === 'assignee') return { by: 'person' };
  return filter?.subject.of === 'unique-value' ? undefined : view?.ask;
}

function stageChoice({ stages }: TaskSchema): AskedField {
  const free = stages.all.filter(({ enter }) => enter === 'freely');
  return { by: 'option', options: free.map(({ name }) => name), isRequired: true };
}

export function isRequiredField({ required }: TaskSchema, { fieldId }: Property): boolean {
  return fieldId !== undefined && required.has(fieldId);
}

export const editPath = ({ path }: TaskPageView, { name }: Property): string =>
  `${path}?edit=${encodeURIComponent(name)}`;

/** The path of an execution for administrators of the workflow; undefined for other users. */
export function adminPathOf({ reader, scope }: Pick<TaskData, 'reader' | 'scope'>, execution: string) {
  const isAdministered = reader.administers?.workflowIds.includes(scope.workflow.id) === true;
  return isAdministered ? executionPath(execution) : undefined;
}

export const NEXT = 'next-action';

export function actionsHere(data: TaskData): ExplainedAction[] {
  const { name } = stageOf(data);
  return data.actions.filter(({ action }) => isAvailable(action, name));
}

/**
 * Of the stage's actions, the first that the reader's role allows. Other requirements may be unmet. If the
 * role allows no action, the first action of the stage.
 */
export function nextOf(data: TaskData): ExplainedAction | undefined {
  const here = actionsHere(data);
  return here.find(({ unmet }) => !unmet.some(({ isOfRole }) => isOfRole)) ?? here[0];
}

/** Whether the property is blank and the next action needs it. If so, the page shows the property's form. */
export function isMissing(data: TaskData, property: Property): boolean {
  const isNeeded = nextOf(data)?.unmet.some(({ about }) => about === property.name) === true;
  return isNeeded && isBlankValue(shownValueOf(property, data));
}

/** The approval groups that the actions of the stage need. */
export const wantedApprovals = ({ approvals }: TaskData): PageApproval[] =>
  approvals.filter(({ isOffered, needed }) => isOffered && needed > 0);

export const isOwnDecision = ({ mayDecide, own }: PageApproval): boolean => mayDecide && own === null;

/** The rejections that count: those that are not withdrawn, stale or ineligible. */
export const rejectionsOf = ({ decisions }: PageApproval): ShownDecision[] =>
  decisions.filter(({ state, decision }) => state === 'counts' && decision === 'reject');

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { JsonText } from '../../../packages/exact-json/json.js';
import { type WatchState } from '../../common/column-values.js';
import { type Guard, lockedIn, oppositeSide } from '../../workflows/fields/protection.js';
import { type Property } from '../../workflows/fields/property.js';
import { type LinkedTask, type TaskView } from '../../workflows/fields/task-view.js';
import { type TaskSchema } from '../../workflows/fields/task-schema.js';
import { type AskedField, type Output } from '../../workflows/fields/field-type.js';
import { type Notice } from '../parts/notices.js';
import { type Formatted } from '../parts/markdown.js';
import { mayMove } from '../../workflows/model/allowed.js';
import { type SignedIn } from '../reader.js';
import { type TaskData } from './task-data.js';
import { type TaskName } from '../../workflows/model/task-name.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Message } from '../../common/message.js';
import { isAvailable } from '../../actions/action.js';
import { type ExplainedAction } from '../../actions/actions.service.js';
import { type PageApproval } from '../../approvals/approval.dto.js';

/** The page of a task as it is asked for. */
export interface TaskPageView extends TaskData, ShownForm {
  readonly reader: SignedIn;
  readonly path: string;
  /** Its texts of many lines, as far as they are Markdown. */
  readonly formatted: Formatted;
  /** Whether the reader may edit the task. */
  readonly isEditable: boolean;
  /** Whether the reader may set approvals aside. */
  readonly mayOverride: boolean;
  /** Whether the reader watches the task; undefined where nothing is known of that. */
  readonly watch: WatchState | undefined;
  /** What of its time line is shown. */
  readonly shows: ShownActivity;
}

/** What is entered on the page, and the answer to its forms. */
export interface ShownForm {
  /** The name of the key whose value is being entered. */
  readonly edit?: string | undefined;
  /** The id of the action that is to be confirmed. */
  readonly confirm?: string | undefined;
  /** What was just done, or why not: what was sent stays in the controls of the form. */
  readonly notice?: TaskNotice | undefined;
  /** Whether somebody else has changed the value meanwhile. */
  readonly isConflict?: boolean;
  /** The public id of the task from which a link would take another: the reader is asked. */
  readonly takesFrom?: string | undefined;
}

/** What is said at the head of the page. */
export interface TaskNotice extends Notice {
  /** The id of the execution that failed, where it is of one. */
  readonly execution?: string;
}

const View = createContext<TaskPageView | undefined>(undefined);
export const TaskViewProvider = View.Provider;

/** The page of a task that is rendered, for all of its parts. */
export function useTask(): TaskPageView {
  const view = useContext(View);
  if (!view) throw new Error('A part of a task stands on no page of one.');
  return view;
}

/** What of a time line is shown. */
export type ShownActivity = 'all' | 'comments' | 'changes';

/** What the parts of a task's history need. */
export interface HistoryView extends Pick<TaskPageView, 'path' | 'scope'> {
  /** Those that are at hand, which say why. */
  readonly runs?: TaskPageView['runs'];
}

/** A task, how services name it, and where its page is. */
export interface PlacedTask extends Pick<TaskData, 'scope' | 'task'> {
  readonly name: TaskName;
  readonly path: string;
}

/** A key of the task. */
export interface FieldProps {
  readonly property: Property;
}

/** The value of a key as the API shows it. */
export function shownValueOf(property: Property, { task }: { readonly task: TaskView }): Output {
  const value = property.serialize(task);
  return value instanceof JsonText ? null : value;
}

/** Whether a value, as the API shows it, is nothing. */
export const isBlankValue = (value: Output): boolean =>
  value === null || value === false || (Array.isArray(value) && value.length === 0);

/** Where on the page a key stands. */
export function placeOfTask({ name, fieldId, links }: Property): string {
  return `at-${fieldId ?? links?.side.replace(/[<>]/, (side) => (side === '>' ? 'to-' : 'from-')) ?? name.replace(/\W/g, '-')}`;
}

/** The keys of a task that the page shows one below the other: all fields but for the one that names it. */
export function shownFields({ properties }: TaskSchema): Property[] {
  return properties.filter(({ view, filter }) => view !== undefined && filter?.subject.of !== 'unique-value');
}

/** The texts of many lines that the page of a task shows: its own, then what was said, last first. */
export function longTextsOf({ scope, task, comments }: TaskData): string[] {
  const fields = scope.workflow.schema.properties.filter(({ view }) => view?.show.as === 'lines');
  const texts = fields.map((property) => property.serialize(task)).filter((text) => typeof text === 'string');
  return [...texts, ...comments.shown.map(({ body }) => body)];
}

/** Why a payload may not give this key of a new task, or change it of one. */
export function guardOf({ guards }: TaskSchema, { fieldId, links }: Property): Guard | undefined {
  return guards.payload.get(fieldId ?? links?.side ?? '');
}

/** Why people may not change this key of the task as it stands. */
export function keptOf(
  { scope, task }: Pick<TaskData, 'scope' | 'task'>,
  property: Property,
): Message | undefined {
  const { schema } = scope.workflow;
  const { fieldId, links, name } = property;
  const lock = schema.locks.own.get(task.stageId);
  const locked = lock?.barred.has(fieldId ?? links?.side ?? name) ? lockedIn(lock) : undefined;
  return guardOf(schema, property)?.changing ?? locked;
}

/** Whether the stage of a linked task keeps its link with this one. */
export function isLinkLocked({ scope }: Pick<TaskData, 'scope'>, { side, stageId }: LinkedTask): boolean {
  const lock = scope.workflow.schema.locks.far(side).get(stageId);
  return lock?.barred.has(oppositeSide(side)) === true;
}

/** By what the value of a key is asked for, of a task or of a new one. */
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

/** The stages that a task may be moved to by hand. */
function stageChoice({ stages }: TaskSchema): AskedField {
  const free = stages.all.filter(({ enter }) => enter === 'freely');
  return { by: 'option', options: free.map(({ name }) => name), isRequired: true };
}

/** The name that stands for a key in forms and in the addresses that ask for one. */
export function editPath({ path }: Pick<TaskPageView, 'path'>, { name }: Pick<Property, 'name'>): string {
  return `${path}?edit=${encodeURIComponent(name)}`;
}

/** Where the page says what comes next. */
export const NEXT = 'next-action';

type Explained = Pick<TaskData, 'actions' | 'scope' | 'task'>;

/** The actions of the stage in which the task stands. */
export function actionsHere({ actions, scope, task }: Explained): ExplainedAction[] {
  const stage = scope.workflow.schema.stages.get(task.stageId).name;
  return actions.filter(({ action }) => isAvailable(action, stage));
}

/** The first that the reader's role has is what the stage is for: where it has to wait, no other takes its place. */
export function nextOf(data: Explained): ExplainedAction | undefined {
  const here = actionsHere(data);
  return here.find(({ unmet }) => !unmet.some(({ isOfRole }) => isOfRole)) ?? here[0];
}

/** Whether the next action needs a value of this key, which is blank: its place asks for it at once. */
export function isMissing(data: Explained, property: Property): boolean {
  const isNeeded = nextOf(data)?.unmet.some(({ about }) => about === property.name) === true;
  return isNeeded && isBlankValue(shownValueOf(property, data));
}

/** The groups of approvals that what can be done here needs. */
export const wantedApprovals = ({ approvals }: Pick<TaskData, 'approvals'>): PageApproval[] =>
  approvals.filter(({ isOffered, needed }) => isOffered && needed > 0);

/** Whether a group waits for the reader's own decision. */
export const isOwnDecision = ({ mayDecide, own }: PageApproval): boolean => mayDecide && own === null;

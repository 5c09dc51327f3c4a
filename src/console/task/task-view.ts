import { type WatchState } from '../../common/column-values.js';
import { type Guard } from '../../workflows/fields/guards.js';
import { lockedIn, oppositeSide } from '../../workflows/fields/locks.js';
import { type Property } from '../../workflows/fields/property.js';
import { type LinkedTask } from '../../workflows/fields/task-view.js';
import { type TaskSchema } from '../../workflows/fields/task-schema.js';
import { type AskedField } from '../../workflows/fields/field-type.js';
import { type Notice } from '../parts/notices.js';
import { type Formatted } from '../parts/markdown.js';
import { type SentValues } from '../parts/control.js';
import { mayEdit, mayMove } from '../../workflows/model/allowed.js';
import { type SignedIn } from '../reader.js';
import { taskPath } from '../task-shown.js';
import { type TaskData } from './task-data.js';
import { type TaskName } from '../../workflows/model/task-name.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Message } from '../../common/message.js';

/** The page of a task as it is asked for: with the value that is being entered, and the answer to a form. */
export interface TaskPageView extends TaskData {
  readonly reader: SignedIn;
  readonly path: string;
  /** Its texts of many lines, as far as they are Markdown. */
  readonly formatted: Formatted;
  /** Whether the reader may edit the task. */
  readonly isEditable: boolean;
  readonly entry?: TaskPageEntry | undefined;
  readonly notice?: TaskNotice | undefined;
  /** The id of the action that is to be confirmed. */
  readonly confirm?: string | undefined;
  /** What was given to that action, where it was refused. */
  readonly refusedGiven?: RefusedGiven | undefined;
  /** A decision that was refused. */
  readonly refusedDecision?: RefusedDecision | undefined;
  /** Whether the reader may set approvals aside. */
  readonly mayOverride: boolean;
  /** Whether the reader watches the task; undefined where nothing is known of that. */
  readonly watch: WatchState | undefined;
  /** What of its time line is shown. */
  readonly shows: ShownActivity;
}

/** What of a time line is shown. */
export type ShownActivity = 'all' | 'comments' | 'changes';

/** What was given to an action and refused, and why, by the names of fields. */
export interface RefusedGiven {
  readonly entered: ReadonlyMap<string, SentValues>;
  readonly messages: ReadonlyMap<string, readonly Message[]>;
}

/** A decision that somebody wanted to take, and why it was not taken. */
export interface RefusedDecision {
  readonly action: string;
  readonly id: string;
  readonly comment: string;
  readonly messages: readonly Message[];
}

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

/** A key whose value is being entered. */
export interface TaskPageEntry {
  readonly name: string;
  /** What was sent and not taken; absent where nothing has been sent yet. */
  readonly sent?: SentValues | undefined;
  readonly messages: readonly Message[];
  /** The public id of the task from which a link would take another: the reader is asked. */
  readonly takesFrom?: string | undefined;
  /** Whether somebody else has changed the value meanwhile. */
  readonly isConflict?: boolean;
}

/** What is said at the head of the page. */
export interface TaskNotice extends Notice {
  /** The id of the execution that failed, where it is of one. */
  readonly execution?: string;
}

/** The page, and what is being done on it. */
export function viewOf(
  reader: SignedIn,
  data: TaskData,
  more: Pick<
    TaskPageView,
    'entry' | 'notice' | 'confirm' | 'refusedGiven' | 'refusedDecision' | 'formatted' | 'watch' | 'shows'
  >,
): TaskPageView {
  const { scope, task } = data;
  const { permissions, id } = scope.workflow;
  return {
    ...data,
    ...more,
    reader,
    path: taskPath(scope.workflow, task),
    isEditable: mayEdit(scope, task),
    mayOverride: permissions.rolesOf(reader.user.id, id).some(({ isAdmin }) => isAdmin),
  };
}

/** A key of the task that a page shows. */
export interface FieldProps {
  readonly view: TaskPageView;
  readonly property: Property;
}

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

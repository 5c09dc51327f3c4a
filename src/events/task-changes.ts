import { jsonOfTask } from '../workflows/fields/serialize-task.js';
import { type Output } from '../workflows/fields/field-type.js';
import { type Property } from '../workflows/fields/property.js';
import { type JsonText } from '../../packages/exact-json/json.js';
import { blankTask, type TaskView } from '../workflows/fields/task-view.js';
import { type EventNames } from './event-names.js';
import { type RecordedEvent } from './events.repository.js';

interface ValueChange {
  readonly name: string;
  readonly write: () => string;
}

/** The changes of an event in the order of the task's keys, without keys that no longer exist. */
export function taskChanges(event: RecordedEvent, names: EventNames): ValueChange[] {
  const workflow = event.workflowId === null ? undefined : names.workflowOf(event.workflowId);
  const changes = builtInChanges(event, names);
  const sides = { from: viewOf(event.valuesFrom), to: viewOf(event.valuesTo) };
  for (const property of workflow?.schema.properties ?? []) {
    const { name, links } = property;
    const write = links ? linkChange(event, links.side) : valueChange(event, property, sides);
    if (write) changes.push({ name, write });
  }
  return changes;
}

/** The changes as JSON. Built as text, because an object would reorder a key `10` and lose `__proto__`. */
export function jsonOfChanges(changes: readonly ValueChange[]): string {
  return `{${changes.map(({ name, write }) => `${JSON.stringify(name)}:${write()}`).join()}}`;
}

type Write = ValueChange['write'];

function builtInChanges(event: RecordedEvent, names: EventNames): ValueChange[] {
  const { workflowId, stageFrom, stageTo, assigneeFrom, assigneeTo } = event;
  const stage = (id: number | null): string | null =>
    id === null || workflowId === null ? null : names.stageOf(workflowId, id);
  const changes: ValueChange[] = [];
  if (stageFrom !== stageTo) changes.push({ name: 'Stage', write: fromTo(stage(stageFrom), stage(stageTo)) });
  if (assigneeFrom !== assigneeTo)
    changes.push({
      name: 'Assigned To',
      write: fromTo(names.userOf(assigneeFrom), names.userOf(assigneeTo)),
    });
  return changes;
}

interface Sides {
  readonly from: TaskView;
  readonly to: TaskView;
}

function viewOf(values: RecordedEvent['valuesFrom']): TaskView {
  return { ...blankTask, fieldValues: (values ?? {}) as TaskView['fieldValues'] };
}

function valueChange(event: RecordedEvent, property: Property, { from, to }: Sides): Write | undefined {
  const { fieldId } = property;
  if (fieldId === undefined) return isUniqueId(property) ? uniqueIdChange(event) : undefined;
  if (from.fieldValues[fieldId] === undefined && to.fieldValues[fieldId] === undefined) return undefined;
  if (property.files) return () => fileChange(property, fieldId, from, to);
  return fromTo(
    event.type === 'task.created' ? null : shown(property, fieldId, from),
    event.type === 'task.deleted' ? null : shown(property, fieldId, to),
  );
}

/** Whether a property without a field is the Unique ID, and not `Task URL`, `Stage` or `Assigned To`. */
function isUniqueId(property: Property): boolean {
  return property.filter?.subject.of === 'unique-value';
}

function uniqueIdChange({ type, uniqueValue, about }: RecordedEvent): Write | undefined {
  if (type === 'task.created') return uniqueValue === null ? undefined : fromTo(null, uniqueValue);
  if (type === 'task.deleted') return uniqueValue === null ? undefined : fromTo(uniqueValue, null);
  return about && 'unique_from' in about ? fromTo(asOutput(about['unique_from']), uniqueValue) : undefined;
}

/** Serializes a value as a task shows it. If the value is not of the field's type, returns it as stored. */
function shown(property: Property, fieldId: string, side: TaskView): Output | JsonText {
  try {
    return property.serialize(side);
  } catch {
    return asOutput(side.fieldValues[fieldId]);
  }
}

const asOutput = (value: unknown): Output => (value === undefined ? null : (value as Output));

function fromTo(from: Output | JsonText, to: Output | JsonText): Write {
  return () => `{"from":${jsonOfTask(from)},"to":${jsonOfTask(to)}}`;
}

function fileChange(property: Property, fieldId: string, from: TaskView, to: TaskView): string {
  const listed = (side: TaskView): readonly Output[] => {
    const files = shown(property, fieldId, side);
    return Array.isArray(files) ? (files as readonly Output[]) : [];
  };
  const [before, after] = [listed(from), listed(to)];
  const without = (files: readonly Output[], others: readonly Output[]): readonly Output[] => {
    const known = new Set(others.map(blobOf));
    return files.filter((file) => !known.has(blobOf(file)));
  };
  return JSON.stringify({ added: without(after, before), removed: without(before, after) });
}

function blobOf(file: Output): unknown {
  return typeof file === 'object' && file !== null ? Reflect.get(file, 'blobId') : file;
}

/** The Unique IDs of the tasks linked and unlinked at `side`. Leaves out links whose changes cancel out. */
function linkChange({ links }: RecordedEvent, side: string): Write | undefined {
  const linked = new Set<string>();
  const unlinked = new Set<string>();
  for (const [at, isLinked, uniqueId] of links ?? []) {
    if (at !== side || uniqueId === null) continue;
    const [to, from] = isLinked ? [linked, unlinked] : [unlinked, linked];
    if (!from.delete(uniqueId)) to.add(uniqueId);
  }
  if (linked.size + unlinked.size === 0) return undefined;
  return () => JSON.stringify({ linked: [...linked], unlinked: [...unlinked] });
}

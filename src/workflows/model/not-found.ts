import { notFound, type Refusal } from '../../common/errors.js';
import { code, listed } from '../../common/wording.js';
import { type TaskName, textOfName } from './task-name.js';
import { type Workflow } from './workspace.js';
import { say } from '../../common/message.js';

// No message in this file depends on other workspaces.

/** The refusal for an unknown workflow. Lists the workflows that the caller knows. */
export function noWorkflow(workflows: readonly Workflow[], id: string): Refusal {
  const slugs = workflows.map(({ slug }) => slug);
  return notFound(say`No workflow ${code(id)} in this workspace; ${has(slugs)}.`);
}

/** The refusal for an unknown task. If a Unique ID was requested, the message names the Unique ID field. */
export function noTask(workflow: Workflow, uniqueId: TaskName): Refusal {
  if (typeof uniqueId !== 'string') return notFound();
  const by = code(workflow.schema.uniqueId?.name ?? '');
  return notFound(say`No task ${code(uniqueId)} in ${nameOf(workflow)}; its tasks are named by their ${by}.`);
}

/** The refusal for an unknown element of a list. Lists the known elements. */
export function noElement(
  workflow: Workflow,
  name: string,
  all: readonly { readonly id: string }[],
  id: string,
): Refusal {
  return notFound(say`No ${name} ${code(id)} in ${nameOf(workflow)}; ${has(all.map((one) => one.id))}.`);
}

export function noRelationship(workflow: Workflow, name: string): Refusal {
  const names = Array.from(workflow.schema.links.values(), (link) => link.name);
  return notFound(say`No relationship ${code(name)} in ${nameOf(workflow)}; ${has(names)}.`);
}

export function noFileField(workflow: Workflow, name: string): Refusal {
  const names = Array.from(workflow.schema.files.values(), (field) => field.name);
  return notFound(say`No file field ${code(name)} in ${nameOf(workflow)}; ${has(names)}.`);
}

export const noItem = (task: TaskName, id: string): Refusal =>
  notFound(say`No checklist item ${code(id)} on task ${code(textOfName(task))}.`);

export const noAttachment = (at: { task: TaskName; field: string }, blobId: string): Refusal =>
  notFound(say`No attachment ${code(blobId)} in ${code(at.field)} of task ${code(textOfName(at.task))}.`);

export const noOtherTask = (relationship: string, uniqueId: string): Refusal =>
  notFound(say`No task ${code(uniqueId)} in the workflow that ${code(relationship)} leads to.`);

export const noLink = (task: TaskName, relationship: string, other: string): Refusal =>
  notFound(say`Task ${code(textOfName(task))} is not linked to ${code(other)} by ${code(relationship)}.`);

export const noExecution = (workflow: Workflow, id: string): Refusal =>
  notFound(say`No execution ${code(id)} in ${nameOf(workflow)}.`);

export const noUser = (workflow: Workflow, id: string): Refusal =>
  notFound(say`No user ${code(id)} works in ${nameOf(workflow)}.`);

const nameOf = ({ slug }: Workflow): string => `workflow ${code(slug)}`;

function has(names: Iterable<string>): string {
  const list = listed(names);
  return list === '' ? 'it has none' : `it has: ${list}`;
}

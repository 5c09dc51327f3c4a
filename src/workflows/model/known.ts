import { type Cause, type ChainLink } from '../../common/origin.js';
import { type Narrowing } from '../../common/column-values.js';
import { keptText, type Message, messageOfText, sentence, type Sentence } from '../../common/message.js';
import { type Workflow, type Workspace } from './workspace.js';
import { type Principal } from '../../common/request.js';
import { type Sight } from './roles.js';

/** Who sends a request: a key or a user. Roles limit both users and keys that act as a user. */
export type Viewer = KeyViewer | UserViewer;

type KeyViewer = Pick<Principal, 'keyId' | 'userId' | 'narrowing'>;

interface UserViewer {
  /** The internal id of the user. */
  readonly userId: string;
  readonly keyId?: undefined;
  readonly narrowing?: undefined;
}

// This file decides which workflows an answer may mention to its reader. Every answer that mentions other
// workflows uses this file. A condition in SQL decides which tasks the reader sees (`tasks/store/seen.ts`).

export const knows = (narrowing: Narrowing | undefined, slug: string): boolean =>
  narrowing?.workflows?.includes(slug) ?? true;

/**
 * Whether the viewer knows the workflow. For example, a narrowed key does not know a workflow outside its
 * limit. A user does not know a workflow if their roles let them see none of its tasks.
 */
export function isKnownTo(viewer: Viewer | undefined, { id, slug, permissions }: NamedWorkflow): boolean {
  if (!knows(viewer?.narrowing, slug)) return false;
  return viewer?.userId === undefined || permissions.permissionsOf(viewer.userId, id).sees !== 'none';
}

type NamedWorkflow = Pick<Workflow, 'id' | 'slug' | 'permissions'>;

/** The workflows that a viewer knows, in the order of the definition. */
export function workflowsKnownTo({ workflows }: Workspace, viewer: Viewer | undefined): Workflow[] {
  return [...workflows.values()].filter((workflow) => isKnownTo(viewer, workflow));
}

/** The tasks that a viewer sees. A key without a user sees all tasks of the workflows that the key knows. */
export function sightOf(workspace: Workspace, viewer: Viewer | undefined): Sight {
  const known = workflowsKnownTo(workspace, viewer).map(({ id }) => id);
  if (viewer?.userId === undefined) return { whole: known, assigned: [] };
  const { whole, assigned } = workspace.permissions.sightOf(viewer.userId);
  const isKnown = (id: number): boolean => known.includes(id);
  return { whole: whole.filter(isKnown), assigned: assigned.filter(isKnown) };
}

/**
 * Tells whether the reader knows the workflow with this internal id. If the id is undefined, tells whether
 * the reader knows all workflows.
 */
export type Known = (workflowId: number | undefined) => boolean;

export const knowsAll: Known = () => true;

/** The internal ids of the workflows that the viewer knows; undefined if the viewer knows all. */
export function knownTo(workspace: Workspace, viewer: Viewer | undefined): readonly number[] | undefined {
  if (viewer?.userId === undefined && !viewer?.narrowing?.workflows) return undefined;
  const known = workflowsKnownTo(workspace, viewer).map(({ id }) => id);
  return known.length === workspace.workflows.size ? undefined : known;
}

export const knownIn = (ids: readonly number[] | undefined): Known =>
  ids ? (id) => id !== undefined && ids.includes(id) : knowsAll;

/**
 * The cause, with only those rules that the reader knows. Undefined if the reader does not know the cause's
 * own workflow.
 */
export function knownCause(cause: Cause | undefined, known: Known): Cause | undefined {
  return cause && known(cause.workflow) ? { ...cause, chain: knownChain(cause.chain, known) } : undefined;
}

/**
 * Those rules of a chain whose workflows the reader knows. The internal ids of workflows are left out,
 * because clients never see them.
 */
export const knownChain = (chain: readonly ChainLink[], known: Known): ChainLink[] =>
  chain.flatMap(({ rule, task, workflow }) => (known(workflow) ? { rule, task } : []));

/** Marks a message as being about a workflow or its tasks. */
export const about = (workflowId: number | undefined, message: Message): Sentence => ({
  ...sentence(message),
  about: workflowId ?? 0,
});

export function knownMessage(message: Message, known: Known): Message {
  if (known === knowsAll || typeof message === 'string') return message;
  if (message.about !== undefined && !known(message.about)) return unseen;
  const args = message.args.map((arg) =>
    typeof arg === 'object' ? sentence(knownMessage(arg, known)) : arg,
  );
  return { ...message, args };
}

/** A stored message. `unseen` replaces its parts about workflows that the reader does not know. */
const knownText = (text: string, known: Known): string => keptText(knownMessage(messageOfText(text), known));

/** An execution whose errors do not mention workflows that the reader does not know. */
export function knownEnd<Ended extends { readonly errors: readonly string[] | null }>(
  execution: Ended,
  known: Known,
): Ended {
  return { ...execution, errors: execution.errors?.map((text) => knownText(text, known)) ?? null };
}

export const unseen: Message = 'something that you may not see';

import { type User, type Users, parseValue } from '../../fields/field-type.js';
import { type RelationshipDefinition } from '../relationship-definition.js';
import { type WorkflowDefinition, type WorkspaceDefinition } from '../definition.js';
import { type FieldDefinition, missingSettings } from '../field-definition.js';
import { placeOfValue, type JsonValue } from '../definition-reader.js';
import { type End } from '../marks.js';
import { endsOf } from '../names.js';
import { fieldTypes } from '../../fields/field-types.js';
import { Invalid } from '../../fields/invalid.js';
import { nameFaults } from '../../fields/text-rules.js';
import { didYouMean, nearest, suggestion } from '../../../common/did-you-mean.js';
import { toJson } from '../../../../packages/exact-json/json.js';
import { english, type Message } from '../../../common/message.js';

/** A definition, with maps in which checks find its elements. */
export interface WorkspaceScope {
  readonly definition: WorkspaceDefinition;
  readonly users: Users;
  readonly workflows: ReadonlyMap<string, WorkflowScope>;
  readonly relationships: ReadonlyMap<string, RelationshipDefinition>;
  readonly known: KnownSettings;
  /** Returns the id of an element's row; undefined if there is no row. */
  readonly idOf: (element: object) => string | undefined;
}

/** The features that the service offers to definitions. An absent setting counts as true. */
export interface KnownSettings {
  /** Whether the service has pages to which people can sign in. */
  readonly hasConsole?: boolean;
  readonly hasMail?: boolean;
}

export interface WorkflowScope {
  readonly workspace: WorkspaceScope;
  readonly workflow: WorkflowDefinition;
  readonly stages: ReadonlySet<string>;
  readonly fields: ReadonlyMap<string, FieldDefinition>;
  /** The ends that relationships have at this workflow. */
  readonly ends: readonly End[];
  /** The names of `ends`. */
  readonly links: ReadonlySet<string>;
}

export function scopeOf(
  definition: WorkspaceDefinition,
  known: KnownSettings = {},
  idOf: WorkspaceScope['idOf'] = () => undefined,
): WorkspaceScope {
  const workflows = new Map<string, WorkflowScope>();
  const workspace: WorkspaceScope = {
    definition,
    users: usersOf(definition),
    workflows,
    relationships: new Map(definition.relationships.map((relationship) => [relationship.id, relationship])),
    known,
    idOf,
  };
  for (const workflow of definition.workflows) workflows.set(workflow.id, workflowScope(workspace, workflow));
  return workspace;
}

/** Makes a function that computes its result once for each scope. */
export function foundOnce<Scope extends object, T extends object>(find: (scope: Scope) => T) {
  const known = new WeakMap<Scope, T>();
  return (scope: Scope): T => {
    const found = known.get(scope) ?? find(scope);
    known.set(scope, found);
    return found;
  };
}

/** The scope of this workflow. In `workspace.workflows`, another workflow with the same id can replace it. */
export function workflowScope(workspace: WorkspaceScope, workflow: WorkflowDefinition): WorkflowScope {
  const ends = workspace.definition.relationships.flatMap((each) => endsOf(each, workflow.id));
  return {
    workspace,
    workflow,
    stages: new Set(workflow.stages.map(({ name }) => name)),
    fields: new Map(workflow.fields.map((field) => [field.name, field])),
    ends,
    links: new Set(ends.map(({ name }) => name)),
  };
}

function usersOf({ users }: WorkspaceDefinition): Users {
  const known = new Map<string, User>();
  for (const { email, active } of users) known.set(email.toLowerCase(), { id: email, email, active });
  return {
    ranked: [...known.values()].map(({ id }) => id),
    find: (email) => known.get(email.toLowerCase()),
    get: (id) => known.get(id.toLowerCase()),
  };
}

export function checkName(name: string, tell: Tell, longest = 100): void {
  for (const message of nameFaults(name, longest)) tell(message);
}

/** One use of a text that must be unique. */
export interface Use {
  readonly holder: object;
  readonly key: string | number;
  readonly text: string;
}

/**
 * Reports each further use of the same text, but ignores empty texts. If only the first use is in the file,
 * reports the first use instead.
 */
export function checkDistinct(uses: readonly Use[], message: string, report: Report): void {
  const first = new Map<string, Use>();
  for (const use of uses) {
    const earlier = first.get(use.text);
    if (!earlier) first.set(use.text, use);
    else if (use.text !== '') reportOne(earlier, use, message, report);
  }
}

function reportOne(earlier: Use, later: Use, message: string, report: Report): void {
  const { holder, key } = isInFile(later) || !isInFile(earlier) ? later : earlier;
  report(holder, key, message);
}

const isInFile = ({ holder }: Use): boolean => placeOfValue(holder)?.line !== undefined;

/**
 * Stands for a name that could not be read. If an element has this name, most checks accept every name,
 * because any name may be the element's name.
 */
export const unnamed = '';

export function checkStage(name: string, scope: WorkflowScope, tell: Tell): void {
  if (scope.stages.has(name) || scope.stages.has(unnamed)) return;
  tell(`is not a stage of workflow ${scope.workflow.id}: ${name}${stageHint(name, scope)}`);
}

/** Reports an unknown name. `what` describes the expected element, such as `a calendar of this workspace`. */
export function checkNamed(name: string, what: string, known: Iterable<string>, tell: Tell): void {
  const names = [...known];
  if (!names.includes(name)) tell(`is not ${what}: ${name}${didYouMean(name, names)}`);
}

/** Says why the stage no longer exists, or suggests the stage that was probably meant. */
function stageHint(name: string, { workflow, stages }: WorkflowScope): string {
  const isRemoved = workflow.removed_stages?.some((stage) => stage.name === name) === true;
  return isRemoved
    ? ', which this file removes'
    : (renamedHint(name, workflow.stages) ?? didYouMean(name, stages));
}

export function renamedHint(
  name: string,
  elements: readonly { readonly name: string; readonly was?: string }[],
): string | undefined {
  const now = elements.find(({ was }) => was === name)?.name;
  return now === undefined ? undefined : `, which this file renames to ${now}`;
}

/**
 * Reports an e-mail that no user of the workspace has. `words` are the other texts that the setting accepts.
 */
export function checkUser(
  email: string,
  scope: WorkspaceScope,
  tell: Tell,
  words: readonly string[] = [],
): void {
  if (scope.users.find(email)) return;
  const known = [...scope.definition.users.map((user) => user.email), ...words];
  const local = (address: string): string => address.replace(/@.*/s, '');
  const hint = english(suggestion(nearest(local(email), known, local)));
  // A text with an `@` is an e-mail, so the message does not mention `words`.
  const what = isNot('a user of this workspace', email.includes('@') ? [] : words);
  tell(`${what}: ${email}${hint}`);
}

const isNot = (what: string, words: readonly string[]): string =>
  words.length === 0 ? `is not ${what}` : `is neither ${what} nor ${words.join(', ')}`;

export function initialStage<Stage extends { readonly initial?: boolean }>(
  stages: readonly Stage[],
): Stage | undefined {
  return stages.find(({ initial }) => initial) ?? stages[0];
}

export function checkField(
  name: string,
  scope: WorkflowScope,
  tell: Tell,
  words: readonly string[] = [],
): void {
  if (scope.fields.has(name) || scope.fields.has(unnamed)) return;
  const hint = scope.links.has(name)
    ? ', which is a relationship'
    : didYouMean(name, [...scope.fields.keys(), ...words]);
  tell(`${isNot(`a field of workflow ${scope.workflow.id}`, words)}: ${name}${hint}`);
}

export const relationshipsOf = ({ workspace, workflow: { id } }: WorkflowScope): RelationshipDefinition[] =>
  [...workspace.relationships.values()].filter(({ from, to }) => from.workflow === id || to.workflow === id);

/** Reports a fault at one entry. `message` follows the path of the entry, as in `name: is empty`. */
export type Tell = (message: Message) => void;

/** Reports faults at entries of the definition. */
export interface Report {
  (holder: object, key: string | number, message: Message): void;
  at(holder: object, key: string | number): Tell;
}

/** Makes a `Report` from a function that records one fault. */
export const reportTo = (record: (holder: object, key: string | number, message: Message) => void): Report =>
  Object.assign(record, {
    at: (holder: object, key: string | number): Tell => record.bind(undefined, holder, key),
  });

/**
 * Reports why a constant is not a valid value of the field. Does nothing if the type of the field is unknown,
 * or if the field lacks a required setting.
 */
export function checkValue(value: JsonValue, field: FieldDefinition, users: Users, tell: Tell): void {
  const type = fieldTypes.get(field.type);
  if (!type || missingSettings(field).length > 0) return;
  const parsed = parseValue(type, toJson(value), { ...field, users });
  if (parsed instanceof Invalid) tell(parsed.message);
}

import { isWeaker, membersOf, settingAt } from '../../schema/weaker.js';
import {
  type ActionDefinition,
  type WorkflowDefinition,
  type WorkspaceDefinition,
} from '../../workspace/definition.js';
import { isForOneApply } from '../../workspace/marks.js';
import { type PlainColumn } from '../../database/json-columns.js';
import { definitionSchema } from '../source/definition-schema.js';
import { type Alteration, alterationsOf, excerptsOf, relaxes } from './alterations.js';
import { emailOf, idOf, itemKey, nameOfElement, isSameValue } from './identities.js';
import { renameStored, findRenames } from './renames.js';

/** The differences between a merged definition and the stored one, from top to bottom; empty if they are equal. */
export function diffDefinitions(
  stored: WorkspaceDefinition | undefined,
  merged: WorkspaceDefinition,
): Change[] {
  const former = stored && renameStored(stored, findRenames(stored, merged));
  const of = { what: 'workspace', name: merged.workspace.id };
  return [
    ...diffWorkspace(former && headOf(former), headOf(merged)),
    ...diffList(former?.users ?? [], merged.users, {
      what: 'user',
      of,
      list: 'users',
      isNew: !stored,
      identify: emailOf,
      name: ({ email }) => email,
    }),
    ...diffWorkflows(former?.workflows ?? [], merged.workflows, of),
    ...listsById.flatMap(([list, what]) =>
      diffList<object & { readonly id: string }>(former?.[list] ?? [], merged[list], {
        what,
        of,
        list,
        identify: idOf,
      }),
    ),
  ];
}

const listsById = [
  ['relationships', 'relationship'],
  ['webhooks', 'webhook'],
  ['channels', 'channel'],
  ['calendars', 'calendar'],
  ['views', 'view'],
] as const;

type WorkspaceHead = WorkspaceDefinition['workspace'] & Pick<WorkspaceDefinition, 'notifications'>;

/** The settings of the workspace itself. */
function headOf({ workspace, notifications }: WorkspaceDefinition): WorkspaceHead {
  return { ...workspace, ...(notifications && { notifications }) };
}

function diffWorkspace(stored: WorkspaceHead | undefined, merged: WorkspaceHead): Change[] {
  if (!stored) return [{ kind: 'add', what: 'workspace', name: merged.id }];
  const told = toldOf(stored, merged, undefined);
  return told ? [{ kind: 'change', what: 'workspace', name: merged.id, ...told }] : [];
}

function diffWorkflows(
  stored: readonly WorkflowDefinition[],
  merged: readonly WorkflowDefinition[],
  of: { what: string; name: string },
): Change[] {
  const former = new Map(stored.map((workflow) => [workflow.id, workflow]));
  return diffList(stored, merged, {
    what: 'workflow',
    of,
    list: 'workflows',
    identify: idOf,
    describe: contentsOf,
    own: ({ name, search }) => ({ name, search }),
    inside: (workflow) => diffWorkflow(former.get(workflow.id), workflow),
  });
}

function contentsOf(workflow: WorkflowDefinition): string {
  const lists = [
    'stages',
    'fields',
    'checklist',
    'roles',
    'members',
    'actions',
    'rules',
    'clocks',
    'schedules',
  ] as const;
  return lists
    .filter((list) => workflow[list].length > 0)
    .map((list) => `${list}: ${workflow[list].length}`)
    .join(', ');
}

/** The stages of an action and its requirements. */
function contentsOfAction({ stages, requirements }: ActionDefinition): string {
  const needs = Object.entries(requirements).map(
    ([key, value]) => `${key} ${excerptsOf({ before: value as PlainColumn })[0]}`,
  );
  return [
    `in ${stages.length > 0 ? stages.join(', ') : 'every stage'}`,
    ...(needs.length > 0 ? [`needs ${needs.join(', ')}`] : []),
  ].join('; ');
}

/** One difference between two definitions. */
export interface Change {
  readonly kind: 'add' | 'rename' | 'change' | 'remove';
  /** `workspace`, `user`, `workflow`, `stage`, `field`, `checklist item`, `role`, `member`, `action`, `rule`, `clock`, `schedule`, `relationship`, `webhook`, `channel`, `calendar`, `view`. */
  readonly what: string;
  /** The path of the element: `vendors / Tier`. */
  readonly name: string;
  readonly detail?: string;
  /** The differences within the element, for a `change`. */
  readonly alterations?: readonly Alteration[];
  /** Whether somebody may do more by it, or less is needed: a new member, the last role that goes. */
  readonly relaxes?: true;
}

/** A change as a line for people: `rename field vendors / Tier to Level`. */
export function renderChange({ kind, what, name, detail }: Change): string {
  if (kind === 'rename') return `rename ${what} ${name} to ${detail ?? ''}`;
  return `${kind} ${what} ${name}${detail === undefined ? '' : ` (${detail})`}`;
}

/** How to identify and name the elements of a list. */
export interface ListDiff<T> {
  readonly what: string;
  /** The element that holds the list. */
  readonly of: { readonly what: string; readonly name: string };
  readonly list: string;
  /** Whether the list is of a new workspace, of which nobody knows how strict it should be. */
  readonly isNew?: boolean;
  readonly identify: (element: T) => string;
  /** The name for people; by default what identifies it. */
  readonly name?: (element: T) => string;
  /** What the name of an element is unique in, if it is less than the list. */
  readonly within?: (element: T) => string;
  /** A summary of a new element, if it has one. */
  readonly describe?: (element: T) => string;
  /** The part of an element that is compared; by default all of it. */
  readonly own?: (element: T) => object;
  /** The changes within an element, listed after its own. */
  readonly inside?: (merged: T) => Change[];
}

/** The changes from a stored list, with its elements already renamed, to a merged one. */
function diffList<T extends object>(stored: readonly T[], merged: readonly T[], diff: ListDiff<T>): Change[] {
  const before = new Map(stored.map((element) => [diff.identify(element), element]));
  const after = new Map(merged.map((element) => [diff.identify(element), element]));
  const isLossWeaker = isWeaker(schemaOf(diff), [...merged, undefined], merged);
  return [
    ...merged.flatMap((element) => diffElement(before.get(diff.identify(element)), element, diff)),
    ...stored
      .filter((element) => !after.has(diff.identify(element)))
      .map((element) => ({ ...changeOf('remove', element, diff), ...relaxes(isLossWeaker) })),
    ...diffOrder(
      [...before.keys()].filter((id) => after.has(id)),
      [...after.keys()].filter((id) => before.has(id)),
      diff,
    ),
  ];
}

/** The schema of a list of the workspace or of a workflow. */
function schemaOf({ of, list }: Pick<ListDiff<never>, 'of' | 'list'>): object | undefined {
  const holder: object =
    of.what === 'workspace' ? definitionSchema : definitionSchema.properties.workflows.items;
  return settingAt(holder, list);
}

function diffElement<T extends object>(stored: T | undefined, merged: T, diff: ListDiff<T>): Change[] {
  if (!stored) {
    const isGrowthWeaker = !diff.isNew && isWeaker(schemaOf(diff), [], [merged]);
    return [{ ...changeOf('add', merged, diff, diff.describe?.(merged)), ...relaxes(isGrowthWeaker) }];
  }
  const was = 'was' in merged ? merged.was : undefined;
  const own = diff.own ?? ((element: T): object => element);
  const told = toldOf(own(stored), own(merged), membersOf(schemaOf(diff)));
  return [
    ...(typeof was === 'string'
      ? [
          {
            kind: 'rename',
            what: diff.what,
            name: labelOf(merged, diff, was),
            detail: nameOf(merged, diff),
          } as const,
        ]
      : []),
    ...(told ? [{ ...changeOf('change', merged, diff), ...told }] : []),
    ...(diff.inside?.(merged) ?? []),
  ];
}

function changeOf<T>(kind: Change['kind'], element: T, diff: ListDiff<T>, detail = ''): Change {
  return { kind, what: diff.what, name: labelOf(element, diff), ...(detail !== '' && { detail }) };
}

const nameOf = <T>(element: T, { name, identify }: ListDiff<T>): string => (name ?? identify)(element);

/** `vendors / Tier`; what belongs to the workspace has no path. */
function labelOf<T>(element: T, diff: ListDiff<T>, name = nameOf(element, diff)): string {
  const { of, within } = diff;
  return [of.what === 'workspace' ? [] : of.name, within?.(element) ?? [], name].flat().join(' / ');
}

function diffOrder<T>(
  before: readonly string[],
  after: readonly string[],
  { of, list }: ListDiff<T>,
): Change[] {
  const isSame = before.every((id, index) => id === after[index]);
  return isSame ? [] : [{ kind: 'change', ...of, detail: `order of ${list}` }];
}

/** The changes within a workflow; none if it is new, because its own line describes it. */
function diffWorkflow(stored: WorkflowDefinition | undefined, merged: WorkflowDefinition): Change[] {
  if (!stored) return [];
  const of = { what: 'workflow', name: merged.id };
  const byId = { of, identify: idOf };
  const byName = { of, identify: nameOfElement };
  return [
    ...diffList(stored.stages, merged.stages, { ...byName, what: 'stage', list: 'stages' }),
    ...diffList(stored.fields, merged.fields, { ...byName, what: 'field', list: 'fields' }),
    ...diffList(stored.checklist, merged.checklist, {
      what: 'checklist item',
      of,
      list: 'checklist',
      identify: itemKey,
      name: ({ title }) => title,
      within: ({ stage }) => stage,
    }),
    ...diffList(stored.roles, merged.roles, { ...byId, what: 'role', list: 'roles' }),
    ...diffList(stored.members, merged.members, {
      what: 'member',
      of,
      list: 'members',
      identify: emailOf,
      name: ({ email }) => email,
    }),
    ...diffList(stored.actions, merged.actions, {
      ...byId,
      what: 'action',
      list: 'actions',
      describe: contentsOfAction,
    }),
    ...diffList(stored.rules, merged.rules, { ...byId, what: 'rule', list: 'rules' }),
    ...diffList(stored.clocks, merged.clocks, { ...byId, what: 'clock', list: 'clocks' }),
    ...diffList(stored.schedules, merged.schedules, { ...byId, what: 'schedule', list: 'schedules' }),
  ];
}

/** The description of a changed element; undefined if it did not change. */
function toldOf(
  stored: object,
  merged: object,
  schema: object | undefined,
): Pick<Change, 'detail' | 'alterations'> | undefined {
  const [before, after] = [lasting(stored, schema), lasting(merged, schema)];
  const keys = [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => !isSameValue(before.get(key), after.get(key)),
  );
  if (keys.length === 0) return undefined;
  const alterations = keys.flatMap((key) =>
    alterationsOf(before.get(key), after.get(key), key, settingAt(schema, key)),
  );
  return {
    detail: keys.map((key) => describe(key, before.get(key), after.get(key))).join(', '),
    alterations,
  };
}

/** The settings without those that instruct one apply. */
function lasting(element: object, schema: object | undefined): Map<string, PlainColumn | undefined> {
  const entries = new Map<string, PlainColumn | undefined>(Object.entries(element));
  for (const key of entries.keys()) if (isForOneApply(settingAt(schema, key))) entries.delete(key);
  return entries;
}

/** `type from text to longText`. */
function describe(key: string, before: unknown, after: unknown): string {
  return isScalar(before) && isScalar(after) ? `${key} from ${String(before)} to ${String(after)}` : key;
}

export function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

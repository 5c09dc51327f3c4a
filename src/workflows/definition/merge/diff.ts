import { isWeaker, membersOf, settingAt } from '../../fields/weaker.js';
import { type PlainColumn } from '../../../common/database/json-columns.js';
import { type WorkspaceDefinition } from '../../model/definition.js';
import { type Kind } from '../../model/kind.js';
import { listIn } from '../../model/list-in.js';
import { foundOnce } from '../../model/check/kit.js';
import { isForOneApply, type MarkedSchema } from '../../model/marks.js';
import { kindsWithin } from '../kinds.js';
import { type Change, type DefinitionRenames } from '../../model/changed-definition.js';
import { alterationsOf, relaxes } from './alterations.js';
import { formerOf, identityOf, isSameValue, nameOfElement, partsOfKey } from './identities.js';
import { findRenames, isAnyRename, renameStored } from './renames.js';

/**
 * The differences between a merged definition and the stored definition, in the order of a document. Empty if
 * the definitions are equal.
 */
export function diffDefinitions(
  stored: WorkspaceDefinition | undefined,
  merged: WorkspaceDefinition,
): Change[] {
  const former = stored && renamed(stored, findRenames(stored, merged));
  const of = { what: 'workspace', name: merged.workspace.id, path: [] };
  return [...diffWorkspace(former && headOf(former), headOf(merged)), ...diffLists(of, former, merged)];
}

const renamed = (stored: WorkspaceDefinition, renames: DefinitionRenames): WorkspaceDefinition =>
  isAnyRename(renames) ? renameStored(stored, renames) : stored;

type WorkspaceHead = WorkspaceDefinition['workspace'] & Pick<WorkspaceDefinition, 'notifications'>;

function headOf({ workspace, notifications }: WorkspaceDefinition): WorkspaceHead {
  return { ...workspace, ...(notifications && { notifications }) };
}

function diffWorkspace(stored: WorkspaceHead | undefined, merged: WorkspaceHead): Change[] {
  if (!stored) return [{ kind: 'add', what: 'workspace', name: merged.id }];
  const told = toldOf(stored, merged, undefined);
  return told ? [{ kind: 'change', what: 'workspace', name: merged.id, ...told }] : [];
}

/** Renders a change as one line of text, such as `rename field vendors / Tier to Level`. */
export function renderChange({ kind, what, name, detail }: Change): string {
  if (kind === 'rename') return `rename ${what} ${name} to ${detail ?? ''}`;
  return `${kind} ${what} ${name}${detail === undefined ? '' : ` (${detail})`}`;
}

/** The holder of a list: the workspace, or an element of another list. */
interface Holder {
  readonly what: string;
  readonly name: string;
  /** The path to write before the names of the holder's elements. */
  readonly path: readonly string[];
}

interface ListDiff {
  readonly kind: Kind;
  readonly of: Holder;
  /** Whether the holder is new. An addition to a new holder does not count as allowing more. */
  readonly isNew: boolean;
}

/** The changes in all lists of a holder. Renames have already been applied to `stored`. */
const diffLists = (of: Holder, stored: object | undefined, merged: object): Change[] =>
  kindsWithin(of.what).flatMap((kind) =>
    diffList(listIn(stored ?? {}, kind.list), listIn(merged, kind.list), { kind, of, isNew: !stored }),
  );

function diffList(stored: readonly object[], merged: readonly object[], diff: ListDiff): Change[] {
  const { kind } = diff;
  const before = new Map(stored.map((element) => [identityOf(kind, element), element]));
  const after = new Map(merged.map((element) => [identityOf(kind, element), element]));
  const isLossWeaker = isWeaker(kind.schema, [...merged, undefined], merged);
  return [
    ...merged.flatMap((element) => diffElement(before.get(identityOf(kind, element)), element, diff)),
    ...stored
      .filter((element) => !after.has(identityOf(kind, element)))
      .map((element) => ({ ...changeOf('remove', element, diff), ...relaxes(isLossWeaker) })),
    ...diffOrder(
      [...before.keys()].filter((id) => after.has(id)),
      [...after.keys()].filter((id) => before.has(id)),
      diff,
    ),
  ];
}

function diffElement(stored: object | undefined, merged: object, diff: ListDiff): Change[] {
  const { kind, isNew } = diff;
  if (!stored) {
    const isGrowthWeaker = !isNew && isWeaker(kind.schema, [], [merged]);
    return [{ ...changeOf('add', merged, diff, contentsOf(kind, merged)), ...relaxes(isGrowthWeaker) }];
  }
  const was = formerOf(merged);
  const told = toldOf(stored, merged, kind);
  const name = nameOfElement(kind, merged);
  const within = { what: kind.name, name, path: [...diff.of.path, name] };
  return [
    ...(was === undefined
      ? []
      : [{ ...changeOf('rename', merged, diff, name), name: labelOf(merged, diff, was) }]),
    ...(told ? [{ ...changeOf('change', merged, diff), ...told }] : []),
    ...diffLists(within, stored, merged),
  ];
}

/** Summarizes a new element by the sizes of its lists, such as `stages: 3, fields: 5`. */
function contentsOf(kind: Kind, element: object): string {
  const counts = kindsWithin(kind.name).flatMap(({ list }) => {
    const { length } = listIn(element, list);
    return length > 0 ? `${list}: ${length}` : [];
  });
  return counts.join(', ');
}

function changeOf(kind: Change['kind'], element: object, diff: ListDiff, detail = ''): Change {
  const { name: what } = diff.kind;
  return { kind, what, name: labelOf(element, diff), ...(detail !== '' && { detail }) };
}

/** The path and the name of an element, such as `vendors / Tier`. */
function labelOf(element: object, { kind, of }: ListDiff, name = nameOfElement(kind, element)): string {
  return [...of.path, ...partsOfKey(kind, element).slice(0, -1), name].join(' / ');
}

function diffOrder(
  before: readonly string[],
  after: readonly string[],
  { kind: { list }, of: { what, name } }: ListDiff,
): Change[] {
  const isSame = before.every((id, index) => id === after[index]);
  return isSame ? [] : [{ kind: 'change', what, name, detail: `order of ${list}` }];
}

/** The detail and the alterations of a changed element. Undefined if no setting of the element changed. */
function toldOf(
  stored: object,
  merged: object,
  kind: Kind | undefined,
): Pick<Change, 'detail' | 'alterations'> | undefined {
  const told = kind && toldSettings(kind);
  const of = (element: object, key: string) => Reflect.get(element, key) as PlainColumn | undefined;
  const keys = [...new Set([...Object.keys(stored), ...Object.keys(merged)])].filter(
    (key) => (told?.has(key) ?? true) && !isSameValue(of(stored, key), of(merged, key)),
  );
  if (keys.length === 0) return undefined;
  const schema = kind && membersOf(kind.schema);
  return {
    detail: keys.map((key) => describe(key, of(stored, key), of(merged, key))).join(', '),
    alterations: keys.flatMap((key) =>
      alterationsOf(of(stored, key), of(merged, key), key, settingAt(schema, key)),
    ),
  };
}

/**
 * The settings to compare. Leaves out lists, because `diffLists` compares them. Also leaves out settings that
 * are for a single apply, such as `was`.
 */
const toldSettings = foundOnce(({ name, schema }: Kind): ReadonlySet<string> => {
  const lists = new Set(kindsWithin(name).map(({ list }) => list));
  const settings = [...new Map(settingsIn(schema.items))];
  const told = settings.filter(([key, setting]) => !isForOneApply(setting) && !lists.has(key));
  return new Set(told.map(([key]) => key));
});

/**
 * The settings of a mapping, as entries for a `Map`. If the mapping and a branch of its union have the same
 * key, the mapping's own setting comes later, so the `Map` keeps this setting.
 */
const settingsIn = ({ properties = {}, oneOf = [] }: MarkedSchema): [string, MarkedSchema][] => [
  ...oneOf.toReversed().flatMap(settingsIn),
  ...Object.entries(properties),
];

/**
 * Describes a changed setting, such as `type from text to longText`. Returns only the key if the old or the
 * new value is not scalar.
 */
function describe(key: string, before: unknown, after: unknown): string {
  return isScalar(before) && isScalar(after) ? `${key} from ${String(before)} to ${String(after)}` : key;
}

export function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

import { type Change } from './change.js';
import { differences } from './differences.js';

/** How the elements of one list are told apart and told of. */
export interface ListDiff<T> {
  readonly what: string;
  /** Whose list it is. */
  readonly of: { readonly what: string; readonly name: string };
  readonly list: string;
  readonly identify: (element: T) => string;
  readonly label: (element: T) => string;
  /** The label that a renamed element had, and what it is called now. */
  readonly former?: (element: T) => string | undefined;
  readonly name?: (element: T) => string;
  /** What a new element holds, if that is told. */
  readonly describe?: (element: T) => string;
  /** How two versions of one element differ; empty if they do not. */
  readonly compare?: (stored: T, merged: T) => string;
  /** Changes within an element, told behind its own. */
  readonly within?: (merged: T) => Change[];
}

/** The changes from a stored list (its elements renamed already) to a merged one. */
export function diffList<T extends object>(
  stored: readonly T[],
  merged: readonly T[],
  diff: ListDiff<T>,
): Change[] {
  const before = new Map(stored.map((element) => [diff.identify(element), element]));
  const after = new Map(merged.map((element) => [diff.identify(element), element]));
  return [
    ...merged.flatMap((element) => diffElement(before.get(diff.identify(element)), element, diff)),
    ...stored
      .filter((element) => !after.has(diff.identify(element)))
      .map((element) => changeOf('remove', element, diff)),
    ...diffOrder(
      [...before.keys()].filter((id) => after.has(id)),
      [...after.keys()].filter((id) => before.has(id)),
      diff,
    ),
  ];
}

function diffElement<T extends object>(stored: T | undefined, merged: T, diff: ListDiff<T>): Change[] {
  if (!stored) return [changeOf('add', merged, diff, diff.describe?.(merged))];
  const former = diff.former?.(merged);
  const detail = (diff.compare ?? differences)(stored, merged);
  return [
    ...(former === undefined
      ? []
      : [{ kind: 'rename', what: diff.what, name: former, detail: diff.name?.(merged) ?? '' } as const]),
    ...(detail === '' ? [] : [changeOf('change', merged, diff, detail)]),
    ...(diff.within?.(merged) ?? []),
  ];
}

function changeOf<T>(kind: Change['kind'], element: T, { what, label }: ListDiff<T>, detail = ''): Change {
  return { kind, what, name: label(element), ...(detail !== '' && { detail }) };
}

function diffOrder<T>(
  before: readonly string[],
  after: readonly string[],
  { of, list }: ListDiff<T>,
): Change[] {
  const isSame = before.every((id, index) => id === after[index]);
  return isSame ? [] : [{ kind: 'change', ...of, detail: `order of ${list}` }];
}

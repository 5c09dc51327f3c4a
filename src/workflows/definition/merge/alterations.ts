import { isWeaker, membersOf, settingAt } from '../../fields/weaker.js';
import { type PlainColumn } from '../../../common/database/json-columns.js';
import { join } from '../../model/definition-reader.js';
import { isSameValue } from './identities.js';
import { type Alteration } from '../../model/changed-definition.js';

/** The differences between two versions of a value, each as deep as possible; empty if they are equal. */
export function alterationsOf(before: Plain, after: Plain, at = '', schema?: object): Alteration[] {
  if (isSameValue(before, after)) return [];
  if (isList(before) && isList(after)) return ofLists(before, after, at, schema);
  if (isMapping(before) && isMapping(after)) return ofMappings(before, after, at, schema);
  const change = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
  return [{ at, ...change, ...relaxes(isWeaker(schema, before, after)) }];
}

/** The `relaxes` mark of an alteration that makes something weaker. */
export const relaxes = (is: boolean): { relaxes?: true } => (is ? { relaxes: true } : {});

type Plain = PlainColumn | undefined;

function isMapping(value: Plain): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: Plain): value is readonly PlainColumn[] {
  return Array.isArray(value);
}

function ofMappings(before: object, after: object, at: string, schema?: object): Alteration[] {
  const [old, now] = [entriesOf(before), entriesOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) =>
    alterationsOf(old.get(key), now.get(key), join(at, key), settingAt(schema, key)),
  );
}

function entriesOf(value: Plain): Map<string, PlainColumn> {
  return new Map<string, PlainColumn>(isMapping(value) ? Object.entries(value) : []);
}

/** Similar members count as changed, others as added or removed. If only the order differs, the whole list is shown. */
function ofLists(
  before: readonly PlainColumn[],
  after: readonly PlainColumn[],
  at: string,
  schema?: object,
): Alteration[] {
  const pairs = pairsOf(before, after);
  const partners = new Map(pairs.map(([one, other]) => [other, one]));
  const paired = new Set(partners.values());
  const inside = after.flatMap((now, index) => {
    const partner = partners.get(index);
    const place = placeIn(at, now, index);
    if (partner !== undefined) return alterationsOf(before[partner], now, place, membersOf(schema));
    const isMore = isWeaker(schema, before, [...before, now]);
    return [{ at: isMapping(now) ? place : at, after: now, ...relaxes(isMore) }];
  });
  const removed = before.flatMap((old, index) => {
    if (paired.has(index)) return [];
    const isLess = isWeaker(schema, [old, ...after], after);
    return [{ at: isMapping(old) ? placeIn(at, old, index) : at, before: old, ...relaxes(isLess) }];
  });
  const isMoved = after
    .flatMap((_, index) => partners.get(index) ?? [])
    .some((old, at, all) => old < (all[at - 1] ?? 0));
  const order = isMoved ? [{ at, before: before.map(shortOf), after: after.map(shortOf) }] : [];
  return [...removed, ...inside, ...order];
}

// The keys by which people identify a member of a list.
const labels = ['name', 'title', 'message'];

function placeIn(list: string, member: PlainColumn, index: number): string {
  return `${list}[${JSON.stringify(labelOf(member) ?? index)}]`;
}

function labelOf(member: Plain): string | undefined {
  const entries = entriesOf(member);
  return labels.map((label) => entries.get(label)).find((label) => typeof label === 'string');
}

function shortOf(member: PlainColumn): PlainColumn {
  return labelOf(member) ?? member;
}

type Pair = readonly [before: number, after: number];

/** Pairs old members with new ones: equal ones first, then those with the most entries in common. */
function pairsOf(before: readonly PlainColumn[], after: readonly PlainColumn[]): Pair[] {
  const places = new Map<string, number[]>();
  before.forEach((old, index) => {
    const text = JSON.stringify(old);
    if (places.get(text)?.push(index) === undefined) places.set(text, [index]);
  });
  const equal = after.flatMap((now, index): Pair[] => {
    const old = places.get(JSON.stringify(now))?.shift();
    return old === undefined ? [] : [[old, index]];
  });
  return [...equal, ...similar(before, after, equal)];
}

// In longer lists, a member counts as equal, removed or added, but never as changed.
const MAX_COMPARED = 100;

function similar(
  before: readonly PlainColumn[],
  after: readonly PlainColumn[],
  equal: readonly Pair[],
): Pair[] {
  const taken = [new Set(equal.map(([old]) => old)), new Set(equal.map(([, now]) => now))] as const;
  const open = (list: readonly PlainColumn[], known: ReadonlySet<number>): number[] =>
    [...list.keys()].filter((index) => !known.has(index)).slice(0, MAX_COMPARED);
  const candidates = open(before, taken[0]).flatMap((old) =>
    open(after, taken[1]).map((now) => ({ old, now, shared: sharedEntries(before[old], after[now]) })),
  );
  const pairs: Pair[] = [];
  for (const { old, now, shared } of candidates.sort((one, other) => other.shared - one.shared)) {
    if (shared === 0 || taken[0].has(old) || taken[1].has(now)) continue;
    taken[0].add(old);
    taken[1].add(now);
    pairs.push([old, now]);
  }
  return pairs;
}

/** The number of entries that two mappings have in common; a common label counts most. */
function sharedEntries(one: Plain, other: Plain): number {
  const entries = entriesOf(other);
  const shared = Array.from(entriesOf(one)).filter(([key, value]) => isSameValue(value, entries.get(key)));
  return shared.reduce((sum, [key]) => sum + (labels.includes(key) ? 10 : 1), 0);
}

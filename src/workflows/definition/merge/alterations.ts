import { isWeaker, membersOf, settingAt } from '../../fields/weaker.js';
import { type PlainColumn } from '../../../common/database/json-columns.js';
import { join } from '../../model/definition-reader.js';
import { isSameValue } from './identities.js';
import { type Alteration } from '../../model/changed-definition.js';

/**
 * Returns the differences between two versions of a value. Each difference has the deepest path at which the
 * versions differ.
 */
export function alterationsOf(before: Plain, after: Plain, at = '', schema?: object): Alteration[] {
  if (isSameValue(before, after)) return [];
  if (isList(before) && isList(after)) return ofLists(before, after, at, schema);
  if (isMapping(before) && isMapping(after)) return ofMappings(before, after, at, schema);
  const change = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
  return [{ at, ...change, ...relaxes(isWeaker(schema, before, after)) }];
}

/** Returns `{ relaxes: true }` if an alteration allows more or requires less; otherwise an empty object. */
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

/**
 * Pairs the old and the new members of a list by identity. A member without a partner was added or removed.
 * A changed order is one further alteration.
 */
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

/** Pairs old members with new ones that have the same identity. */
function pairsOf(before: readonly PlainColumn[], after: readonly PlainColumn[]): Pair[] {
  const places = new Map<string, number[]>();
  before.forEach((old, index) => {
    const known = places.get(identityOf(old));
    if (known) known.push(index);
    else places.set(identityOf(old), [index]);
  });
  return after.flatMap((now, index): Pair[] => {
    const old = places.get(identityOf(now))?.shift();
    return old === undefined ? [] : [[old, index]];
  });
}

function identityOf(member: PlainColumn): string {
  const entries = entriesOf(member);
  const key = [...labels, 'id', 'field', 'at'].find((key) => entries.has(key));
  return JSON.stringify(key === undefined ? member : entries.get(key));
}

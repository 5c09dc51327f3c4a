import {
  type ChecklistItemDefinition,
  type MemberDefinition,
  type UserDefinition,
} from '../../workspace/definition.js';

// The keys that identify an element of a definition.

export function idOf({ id }: { id: string }): string {
  return id;
}

export function nameOfElement({ name }: { name: string }): string {
  return name;
}

export function emailOf({ email }: UserDefinition | MemberDefinition): string {
  return email.toLowerCase();
}

/** A template item is identified by its stage and title. */
export function itemKey({ stage, title }: Pick<ChecklistItemDefinition, 'stage' | 'title'>): string {
  return JSON.stringify([stage, title]);
}

/** Whether two plain values are equal, whatever the order of keys; an absent key equals `undefined`. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [entriesOf(one), entriesOf(other)];
  return (
    left.size === right.size && Array.from(left).every(([key, value]) => isSameValue(value, right.get(key)))
  );
}

function entriesOf(value: object): Map<string, unknown> {
  return new Map(Object.entries(value).filter(([, entry]) => entry !== undefined));
}

import {
  type ChecklistItemDefinition,
  type MemberDefinition,
  type UserDefinition,
} from '../../workspace/definition.js';

// What makes an element of a definition the same one as another.

export function idOf({ id }: { id: string }): string {
  return id;
}

export function nameOfElement({ name }: { name: string }): string {
  return name;
}

export function emailOf({ email }: UserDefinition | MemberDefinition): string {
  return email.toLowerCase();
}

/** Template items are the same where stage and title are. */
export function itemKey({ stage, title }: Pick<ChecklistItemDefinition, 'stage' | 'title'>): string {
  return JSON.stringify([stage, title]);
}

/** Whether two plain values are equal: keys in any order, an absent one like `undefined`. */
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

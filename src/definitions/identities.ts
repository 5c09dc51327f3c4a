import { type ChecklistItemDefinition, type MemberDefinition, type UserDefinition } from './definition.js';

// What makes an element of a definition the same one as another.

export function idOf({ id }: { id: string }): string {
  return id;
}

export function nameOf({ name }: { name: string }): string {
  return name;
}

export function emailOf({ email }: UserDefinition | MemberDefinition): string {
  return email.toLowerCase();
}

/** Template items are the same where stage and title are. */
export function itemKey({ stage, title }: Pick<ChecklistItemDefinition, 'stage' | 'title'>): string {
  return JSON.stringify([stage, title]);
}

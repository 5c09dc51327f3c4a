import { instants } from './properties/instant.js';
import { type ListedProperty } from './property.js';
import { type TaskSchema } from './task-schema.js';

/** The names of all keys that a list can show. */
export function listedNames({ byName }: TaskSchema): string[] {
  return [...byName.keys(), ...instants.keys()];
}

/** The key of this name that a list can show, be filtered or sorted by. */
export function listedProperty({ byName }: TaskSchema, name: string): ListedProperty | undefined {
  return byName.get(name) ?? instants.get(name);
}

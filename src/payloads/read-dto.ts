import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { FieldErrors } from '../errors/field-errors.js';

/** A class whose decorators tell what its properties may be. */
export interface Dto<T extends object> {
  new (): T;
  /** The properties that there are. */
  readonly names: readonly string[];
}

/** What was given as an instance of the class, and what is wrong with it; a name of nothing is `unknown`. */
export function readDto<T extends object>(
  dto: Dto<T>,
  given: ReadonlyMap<string, unknown>,
  unknown: string,
): { value: T; errors: FieldErrors } {
  const errors = new FieldErrors();
  for (const name of given.keys()) if (!dto.names.includes(name)) errors.add(name, unknown);
  // Only names of ours reach the library, which stumbles over `constructor`.
  const known = [...given].filter(([name]) => dto.names.includes(name));
  const value = plainToInstance(dto, Object.fromEntries(known));
  for (const { property, constraints = {} } of validateSync(value))
    for (const message of Object.values(constraints).slice(0, 1)) errors.add(property, message);
  return { value, errors };
}

import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { isStorable } from '../schema/text-rules.js';
import { handlerValidatesQuery, readQuery, strange } from '../ops/query.js';
import { parameterMeant } from '../lib/meant.js';
import { FieldErrors } from '../lib/field-errors.js';

/** The request's query parameters as an instance of this class; throws all their faults at once. */
export const Parameters = createParamDecorator(
  <T extends object>(dto: Dto<T>, context: ExecutionContext): T =>
    readParameters(dto, context.switchToHttp().getRequest<Request>().originalUrl),
  [handlerValidatesQuery],
);

function readParameters<T extends object>(dto: Dto<T>, url: string): T {
  const query = readQuery(url);
  const { value, errors } = readDto(
    dto,
    new Map(query),
    (name, names) => strange + parameterMeant(name, names),
  );
  for (const name of dto.names) if (query.getAll(name).length > 1) errors.add(name, 'is given twice');
  for (const [name, text] of query)
    if (!isStorable(text)) errors.add(name, 'contains a character that cannot be stored');
  errors.throwIfAny();
  return value;
}

/** A class whose decorators tell what its properties may be. */
interface Dto<T extends object> {
  new (): T;
  /** The properties that there are. */
  readonly names: readonly string[];
}

/** What was given as an instance of the class, and what is wrong with it; `unknown` says what of a name of nothing. */
export function readDto<T extends object>(
  dto: Dto<T>,
  given: ReadonlyMap<string, unknown>,
  unknown: (name: string, names: ReadonlySet<string>) => string,
): { value: T; errors: FieldErrors } {
  const errors = new FieldErrors();
  const names = new Set(dto.names);
  for (const name of given.keys()) if (!names.has(name)) errors.add(name, unknown(name, names));
  // Only names of ours reach the library, which stumbles over `constructor`.
  const known = [...given].filter(([name]) => names.has(name));
  const value = plainToInstance(dto, Object.fromEntries(known));
  for (const { property, constraints = {} } of validateSync(value))
    for (const message of Object.values(constraints).slice(0, 1)) errors.add(property, message);
  return { value, errors };
}

import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { IsIn, IsOptional, validateSync } from 'class-validator';
import { isStorable } from '../schema/text-rules.js';
import { handlerValidatesQuery, readQuery, strange } from '../ops/query.js';
import { parameterMeant } from '../lib/meant.js';
import { QueryParameter, queryParametersOf, type Schema } from '../lib/described.js';
import { FieldErrors } from '../lib/field-errors.js';
import { hinted, type Message } from '../lib/message.js';

/** The request's query parameters as an instance of this class; throws all their faults at once. */
export const Parameters = createParamDecorator(
  <T extends object>(dto: new () => T, context: ExecutionContext): T =>
    readParameters(dto, context.switchToHttp().getRequest<Request>().originalUrl),
  [handlerValidatesQuery],
);

function readParameters<T extends object>(dto: new () => T, url: string): T {
  const query = readQuery(url);
  const names = Object.keys(queryParametersOf(dto));
  const { value, errors } = readDto(dto, names, new Map(query), (name, names) =>
    hinted(strange, parameterMeant(name, names)),
  );
  for (const name of names) if (query.getAll(name).length > 1) errors.add(name, 'is given twice');
  for (const [name, text] of query)
    if (!isStorable(text)) errors.add(name, 'contains a character that cannot be stored');
  errors.throwIfAny();
  return value;
}

/** A query parameter that is `true` or `false`. */
export const Flag = (description: string): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    IsIn(['true', 'false'], { message: 'is not true or false' }),
    QueryParameter(description, {
      type: 'string',
      description: 'Absent is false.',
      enum: ['true', 'false'],
    }),
  );

/** A query parameter that is one of these values. */
export const OneOf = (values: readonly string[], description: string, schema: Schema): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    IsIn(values, { message: `is not one of: ${values.join(', ')}` }),
    QueryParameter(description, schema),
  );

/** What was given as an instance of the class, and what is wrong with it; `unknown` says what of a name that is none of its. */
export function readDto<T extends object>(
  dto: new () => T,
  itsNames: readonly string[],
  given: ReadonlyMap<string, unknown>,
  unknown: (name: string, names: ReadonlySet<string>) => Message,
): { value: T; errors: FieldErrors } {
  const errors = new FieldErrors();
  const names = new Set(itsNames);
  for (const name of given.keys()) if (!names.has(name)) errors.add(name, unknown(name, names));
  // Only names of ours reach the library, which stumbles over `constructor`.
  const known = [...given].filter(([name]) => names.has(name));
  const value = plainToInstance(dto, Object.fromEntries(known));
  for (const { property, constraints = {} } of validateSync(value))
    for (const message of Object.values(constraints).slice(0, 1)) errors.add(property, message);
  return { value, errors };
}

import 'reflect-metadata';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { type Request } from 'express';
import { FieldErrors } from '../errors/field-errors.js';

/** A class of query parameters, whose checks and conversions its decorators tell. */
export interface ParametersDto<T extends object> {
  new (): T;
  /** The parameters that there are; any other is refused. */
  readonly names: readonly string[];
}

/** The request's query parameters as an instance of this class; throws all their faults at once. */
export const Parameters = createParamDecorator(
  <T extends object>(dto: ParametersDto<T>, context: ExecutionContext): T =>
    readParameters(dto, context.switchToHttp().getRequest<Request>().originalUrl),
);

function readParameters<T extends object>(dto: ParametersDto<T>, url: string): T {
  const query = new URLSearchParams(/\?.*/.exec(url)?.[0]);
  const errors = new FieldErrors();
  const given = new Map<string, string>();
  for (const name of new Set(query.keys())) {
    const [text = '', ...others] = query.getAll(name);
    if (!dto.names.includes(name)) errors.add(name, 'is not a parameter of this list');
    else if (others.length > 0) errors.add(name, 'is given twice');
    else given.set(name, text);
  }
  // Only names of ours reach the library, which stumbles over `constructor`.
  const parameters = plainToInstance(dto, Object.fromEntries(given));
  for (const { property, constraints = {} } of validateSync(parameters))
    for (const message of Object.values(constraints)) errors.add(property, message);
  errors.throwIfAny();
  return parameters;
}

import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import { type Dto, readDto } from './read-dto.js';

/** The request's query parameters as an instance of this class; throws all their faults at once. */
export const Parameters = createParamDecorator(
  <T extends object>(dto: Dto<T>, context: ExecutionContext): T =>
    readParameters(dto, context.switchToHttp().getRequest<Request>().originalUrl),
);

function readParameters<T extends object>(dto: Dto<T>, url: string): T {
  const query = new URLSearchParams(/\?.*/.exec(url)?.[0]);
  const { value, errors } = readDto(dto, new Map(query), 'is not a parameter here');
  for (const name of dto.names) if (query.getAll(name).length > 1) errors.add(name, 'is given twice');
  errors.throwIfAny();
  return value;
}

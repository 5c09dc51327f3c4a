import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import { isStorable } from '../schema/text.js';
import { handlerJudgesQuery, readQuery, strange } from './query.js';
import { type Dto, readDto } from './read-dto.js';

/** The request's query parameters as an instance of this class; throws all their faults at once. */
export const Parameters = createParamDecorator(
  <T extends object>(dto: Dto<T>, context: ExecutionContext): T =>
    readParameters(dto, context.switchToHttp().getRequest<Request>().originalUrl),
  [handlerJudgesQuery],
);

function readParameters<T extends object>(dto: Dto<T>, url: string): T {
  const query = readQuery(url);
  const { value, errors } = readDto(dto, new Map(query), strange);
  for (const name of dto.names) if (query.getAll(name).length > 1) errors.add(name, 'is given twice');
  for (const [name, text] of query)
    if (!isStorable(text)) errors.add(name, 'contains a character that cannot be stored');
  errors.throwIfAny();
  return value;
}

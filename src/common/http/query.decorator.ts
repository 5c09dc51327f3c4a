import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiPropertyOptional, ApiQuery } from '@nestjs/swagger';
import { type Request } from 'express';
import { IsIn, IsOptional } from 'class-validator';
import { describing } from '../openapi/answers.js';
import { isStorable } from '../text.js';
import { ValidatesQuery, readQuery, strange } from '../ops/query.js';
import { parameterMeant } from '../did-you-mean.js';
import { hinted, say } from '../message.js';
import { mayBeEmpty, namesOf, type Payload, readDto, telling } from './read-dto.js';

/** The request's query parameters as an instance of `dto`. Throws all faults at once. */
export const Parameters = (dto: new () => object): ParameterDecorator =>
  createParamDecorator(
    (_: unknown, context: ExecutionContext) =>
      readParameters(dto, readQuery(context.switchToHttp().getRequest<Request>().originalUrl)),
    [ValidatesQuery, describing(ApiQuery({ type: dto }))],
  )();

/** Query parameters as an instance of `dto`. Repeatable parameters are lists. Throws all faults at once. */
export function readParameters<T extends object>(dto: new () => T, query: URLSearchParams): T {
  // Most requests have no parameters.
  if (query.size === 0 && mayBeEmpty(dto)) return new dto();
  const isList = (name: string): boolean =>
    Reflect.getMetadata('design:type', dto.prototype as object, name) === Array;
  const given = [...new Set(query.keys())].map((name) => {
    const values = query.getAll(name);
    return [name, isList(name) ? [...new Set(values)] : values.at(0)] as const;
  });
  const { value, errors } = readDto(dto, new Map<string, Payload>(given), (name, names) =>
    hinted(strange, parameterMeant(name, names)),
  );
  for (const name of namesOf(dto))
    if (!isList(name) && query.getAll(name).length > 1) errors.add(name, 'is given twice');
  for (const [name, text] of query)
    if (!isStorable(text)) errors.add(name, 'contains a character that cannot be stored');
  errors.throwIfAny();
  return value;
}

/** The OpenAPI description of a query parameter that is `true` or `false`. */
export const describedFlag = (description: string) => ({
  description,
  enum: ['true', 'false'],
  // @nestjs/swagger omits an enumeration from a query if the enumeration has no name.
  enumName: 'Flag',
  enumSchema: { description: 'Default: false.' },
});

/** A query parameter that is `true` or `false`. */
export const Flag = (description: string): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    IsIn(['true', 'false'], { message: 'is not true or false' }),
    ApiPropertyOptional(describedFlag(description)),
  );

/** A query parameter that is one of these values. `enumName` names the enumeration in OpenAPI. */
export const OneOf = (values: readonly string[], description: string, enumName: string): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    IsIn(values, telling(say`is not one of: ${values.join(', ')}`)),
    ApiPropertyOptional({ enumName, enum: [...values], description }),
  );

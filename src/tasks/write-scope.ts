import { scopeOfRequest } from '../workflows/model/current.decorators.js';
import { type AccessRequest, requireAdmin } from '../common/request.js';
import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { describing } from '../common/openapi/answers.js';
import { ValidatesQuery, readQuery } from '../common/ops/query.js';
import { type Scope } from '../workflows/model/scope.js';
import { describedFlag, Flag, readParameters } from '../common/http/query.decorator.js';

const silently = 'The write starts no rules and notifies nobody. Needs a key of scope `admin`.';

export class WriteQuery {
  @Flag(silently)
  _silent?: string;
}

/**
 * Binds the scope of a write; `_silent=true` makes the scope silent. A handler without a JSON body must pass
 * the class of its query, because no body pipe validates that query.
 */
export const WriteScope = createParamDecorator(
  (query: Type<WriteQuery> | undefined, context: ExecutionContext): Scope => {
    const request = context.switchToHttp().getRequest<AccessRequest>();
    const scope = scopeOfRequest(context);
    if (!request.originalUrl.includes('?')) return scope;
    const parameters = readQuery(request.originalUrl);
    if (parameters.get('_silent') === 'true') requireAdmin(request);
    if (query) readParameters(query, parameters);
    if (parameters.get('_silent') !== 'true') return scope;
    // All later readers of `request.scope` must see the silent scope.
    return (request.scope = scope.silenced());
  },
  [ValidatesQuery, describing(ApiQuery({ name: '_silent', required: false, ...describedFlag(silently) }))],
);

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
 * Passes the scope of a write to a handler. With `_silent=true`, the scope is silent. A handler without a
 * JSON body must pass the class of its query; otherwise, nothing validates the query.
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
    // Whoever reads `request.scope` later must also get the silent scope.
    return (request.scope = scope.silenced());
  },
  [ValidatesQuery, describing(ApiQuery({ name: '_silent', required: false, ...describedFlag(silently) }))],
);

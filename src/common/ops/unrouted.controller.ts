import { All, Controller, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Request } from 'express';
import { notFound, Refusal } from '../errors.js';
import { code } from '../wording.js';
import { isDecodable } from './edge.js';
import { PublicOutsideApi } from './health.controller.js';
import { ReadsBody, ValidatesQuery } from './query.js';
import { say } from '../message.js';

/**
 * Answers requests without a route, after the guards: 400 if the path cannot be decoded, 405 if another
 * method is allowed, else 404.
 */
@ApiExcludeController()
@Controller()
export class UnroutedController {
  @All('{*path}')
  @PublicOutsideApi()
  @ValidatesQuery
  @ReadsBody
  refuse(@Req() { app, path, originalUrl, method }: Request): never {
    if (!isDecodable(originalUrl.replace(/\?.*/s, '')))
      throw new Refusal('malformed', 'The path is not percent-encoded UTF-8.');
    const router = app.router as unknown as Router;
    const allowed = methodsAt(router, path);
    // If `readAddress` has replaced the path, the message must not quote it: the client sent another path.
    if (allowed.length === 0) throw notFound(originalUrl.startsWith(path) ? noPath(router, path) : undefined);
    const methods = (allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed).join(', ');
    const verb = methods.includes(',') ? 'are' : 'is';
    const list = path.replace(/\/[^/]*$/, '');
    const takes = methodsAt(router, list);
    const other =
      isWrite.test(method) && takes.includes('PUT') && takes.includes('POST')
        ? ` Use PUT or POST ${code(list)} with the Unique ID in the body.`
        : '';
    throw new Refusal('method-not-allowed', say`Only ${methods} ${verb} allowed here.${other}`, {
      Allow: methods,
    });
  }
}

const isWrite = /^(?:POST|PUT|PATCH)$/;

function noPath(router: Router, path: string): string {
  const meant = path.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  const isMeant = meant !== path && methodsAt(router, meant).length > 0;
  return `No path ${code(path)}; ${isMeant ? `did you mean ${code(meant)}?` : '`/docs` describes all paths.'}`;
}

interface Router {
  readonly stack: readonly {
    readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
    match(path: string): boolean;
  }[];
}

function methodsAt({ stack }: Router, path: string): string[] {
  const methods = stack.flatMap((layer) => {
    const { path: pattern = '*path', methods = {} } = layer.route ?? {};
    return !pattern.includes('*path') && layer.match(path) ? Object.keys(methods) : [];
  });
  return [...new Set(methods.map((method) => method.toUpperCase()))];
}

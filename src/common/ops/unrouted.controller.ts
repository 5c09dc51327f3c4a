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
  refuse(@Req() { app, path, originalUrl }: Request): never {
    if (!isDecodable(originalUrl.replace(/\?.*/s, '')))
      throw new Refusal('malformed', 'The path is not percent-encoded UTF-8.');
    const allowed = methodsAt(app.router as unknown as Router, path);
    // If `readAddress` has replaced the path, the message must not quote it: the client sent another path.
    if (allowed.length === 0)
      throw notFound(
        originalUrl.startsWith(path) ? `No path ${code(path)}; \`/docs\` describes all paths.` : undefined,
      );
    const methods = (allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed).join(', ');
    const verb = methods.includes(',') ? 'are' : 'is';
    throw new Refusal('method-not-allowed', say`Only ${methods} ${verb} allowed here.`, { Allow: methods });
  }
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

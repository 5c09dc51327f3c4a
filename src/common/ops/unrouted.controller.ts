import { All, Controller, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Request } from 'express';
import { notFound, Refusal } from '../errors.js';
import { code } from '../wording.js';
import { PublicOutsideApi } from './health.controller.js';
import { ValidatesQuery } from './query.js';
import { say } from '../message.js';

/** Answers requests that no other route matches, behind the same guards: 405 if another method is allowed, else 404. */
@ApiExcludeController()
@Controller()
export class UnroutedController {
  @All('{*path}')
  @PublicOutsideApi()
  @ValidatesQuery
  refuse(@Req() { app, path, originalUrl }: Request): never {
    const routes = routesOf(app.router as unknown as Router);
    const allowed = [
      ...new Set(routes.filter(({ matches }) => matches(path)).flatMap(({ methods }) => methods)),
    ];
    // A path that cannot be decoded was sent here, so nothing is known about it.
    if (allowed.length === 0)
      throw originalUrl.startsWith(path) ? notFound(missing(routes, path)) : notFound();
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

/** Any route except this one. */
interface Route {
  readonly methods: readonly string[];
  /** The segments of its path; one that begins with a colon matches any. */
  readonly segments: readonly string[];
  readonly matches: (path: string) => boolean;
}

function routesOf({ stack }: Router): Route[] {
  return stack.flatMap((layer) => {
    const { path = '*path', methods = {} } = layer.route ?? {};
    if (path.includes('*path')) return [];
    const verbs = Object.keys(methods).map((method) => method.toUpperCase());
    return [{ methods: verbs, segments: segmentsOf(path), matches: (to) => layer.match(to) }];
  });
}

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

/** The message for an unknown path: which part of it is known, and which segments may follow. */
function missing(routes: readonly Route[], path: string): string {
  const segments = segmentsOf(path);
  let near = routes;
  let depth = 0;
  for (const segment of segments) {
    const next = near.filter((route) => isLike(route.segments[depth], segment));
    if (next.length === 0) break;
    near = next;
    depth += 1;
  }
  const names = new Set(near.filter(isDescribed).flatMap((route) => route.segments.slice(depth, depth + 1)));
  const place = code(`/${segments.slice(0, depth).join('/')}`);
  const below = names.size === 0 ? 'nothing' : [...names].sort().map(shown).join(', ');
  return `No path ${code(path)}; below ${place} there is: ${below}.`;
}

/** Whether a route is for programs; pages are reached by links. */
const isDescribed = ({ segments: [first = ''] }: Route): boolean => ['api', 'docs', 'health'].includes(first);

const isLike = (known: string | undefined, segment: string): boolean =>
  known !== undefined && (known.startsWith(':') || known === segment);

const shown = (segment: string): string => segment.replace(/^:(.*)/, '{$1}');

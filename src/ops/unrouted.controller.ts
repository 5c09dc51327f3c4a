import { All, Controller, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Request } from 'express';
import { notFound, Refusal } from '../lib/errors.js';
import { code } from '../lib/quote.js';
import { PublicOutsideApi } from './health.controller.js';
import { ReadsBody, ValidatesQuery } from './query.js';
import { say } from '../lib/message.js';

/** Answers requests that no other route matches, behind the same guards: 405 if another method is allowed, else 404. */
@ApiExcludeController()
@Controller()
export class UnroutedController {
  @All('{*path}')
  @PublicOutsideApi()
  @ValidatesQuery
  @ReadsBody
  refuse(@Req() { method, app, path, originalUrl }: Request): never {
    const routes = routesOf(app.router as unknown as Router);
    const allowed = methodsAt(routes, path);
    // A path that cannot be decoded was sent here, and nothing is known about it.
    if (allowed.length === 0)
      throw originalUrl.startsWith(path) ? notFound(missing(routes, path)) : notFound();
    const methods = (allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed).join(', ');
    const said = say`Only ${methods} ${methods.includes(',') ? 'are' : 'is'} allowed here${meant(routes, allowed, method, path)}.`;
    throw new Refusal('method-not-allowed', said, { Allow: methods });
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

function methodsAt(routes: readonly Route[], path: string): string[] {
  return [...new Set(routes.filter((route) => route.matches(path)).flatMap(({ methods }) => methods))];
}

/** The message for an unknown path. */
function missing(routes: readonly Route[], path: string): string {
  const tidy = `/${segmentsOf(path).join('/')}`;
  if (tidy !== path && methodsAt(routes, tidy).length > 0)
    return `Did you mean ${code(tidy)}? A path has no slash at its end and no two in a row.`;
  const versioned = tidy.replace(/^(\/api)?(\/v\d[^/]*)?(?=\/)/i, '/api/v1');
  if (versioned !== tidy && methodsAt(routes, versioned).length > 0)
    return `Did you mean ${code(versioned)}? This service speaks version 1 only.`;
  return `No path ${code(path)}; ${belowOf(routes, segmentsOf(path))}`;
}

/** How much of the path is known, and which segments may follow. */
function belowOf(routes: readonly Route[], segments: readonly string[]): string {
  let near = routes;
  let depth = 0;
  for (const segment of segments) {
    const next = near.filter((route) => isLike(route.segments[depth], segment));
    if (next.length === 0) break;
    near = next;
    depth += 1;
  }
  const names = new Set(
    near.filter(isDescribed).flatMap((route) => route.segments.slice(depth, depth + 1).map(shown)),
  );
  const place = code(`/${segments.slice(0, depth).join('/')}`);
  const isId = near.some((route) => route.segments[depth - 1]?.endsWith('unique_id'));
  const slash = isId && depth < segments.length ? ' A slash within an id is sent as `%2F`.' : '';
  if (names.size === 0) return `there is nothing below ${place}.${slash}`;
  return `below ${place} there is: ${[...names].sort().join(', ')}.${slash}`;
}

/** Routes for programs; pages are found by links. */
const isDescribed = ({ segments: [first = ''] }: Route): boolean => ['api', 'docs', 'health'].includes(first);

const isLike = (known: string | undefined, segment: string): boolean =>
  known !== undefined && (known.startsWith(':') || known === segment);

const shown = (segment: string): string => segment.replace(/^:(.*)/, '{$1}');

/** A suggestion of the intended request where the method is not allowed. */
function meant(routes: readonly Route[], allowed: readonly string[], method: string, path: string): string {
  if (definition.test(path)) return '; workflows are changed by `wts apply`';
  if (method === 'DELETE') return deletionBelow(routes, path);
  if (!['POST', 'PUT', 'PATCH'].includes(method)) return '';
  if (allowed.includes('PUT')) return '; PUT changes the fields that its body names';
  const parent = path.slice(0, path.lastIndexOf('/'));
  const verb = method === 'POST' ? 'POST' : 'PUT';
  if (methodsAt(routes, parent).includes(verb))
    return `; ${code(`${verb} ${parent}`)} takes the id in its body`;
  return path.endsWith('/actions') ? '; a POST to `/executions` of the workflow performs one' : '';
}

/** Paths that show the definition of workflows, or a part of it. */
const definition = /^\/api\/v1\/workflows(\/[^/]+(\/(stages|fields|roles))?)?$/;

function deletionBelow(routes: readonly Route[], path: string): string {
  const { length } = segmentsOf(path);
  const isBelow = ({ methods, segments, matches }: Route): boolean =>
    methods.includes('DELETE') && segments.length === length + 1 && matches(`${path}/x`);
  const below = routes.find(isBelow)?.segments.at(-1);
  return below === undefined ? '' : `; ${code(`DELETE ${path}/${shown(below)}`)} deletes one`;
}

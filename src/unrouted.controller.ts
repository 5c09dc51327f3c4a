import { All, Controller, Req } from '@nestjs/common';
import { type Request } from 'express';
import { notFound, Refusal } from './errors/errors.js';
import { JudgesQuery } from './payloads/query.js';

/** Answers what no other route does, behind the same guards: 405 where another method would do, else 404. */
@Controller()
export class UnroutedController {
  @All('*path')
  @JudgesQuery()
  refuse(@Req() request: Request): never {
    const allowed = methodsOf(request);
    if (allowed.length === 0) throw notFound();
    const methods = (allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed).join(', ');
    throw new Refusal('method-not-allowed', `Only ${methods} are known here.`, { Allow: methods });
  }
}

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/** The methods of all other routes that this path matches. */
function methodsOf(request: Request): string[] {
  const { stack } = request.app.router as unknown as { stack: Layer[] };
  const routes = stack.filter(
    (layer) => layer.route && !layer.route.path.includes('*path') && layer.match(request.path),
  );
  const methods = routes.flatMap(({ route }) => Object.keys(route?.methods ?? {}));
  return [...new Set(methods)].map((method) => method.toUpperCase());
}

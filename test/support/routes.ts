import { type NestExpressApplication } from '@nestjs/platform-express';

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
}

/** Every route of the service but for pages, such as `GET /api/v1/files/:blob_id`, as the router itself has it; sorted. */
export function routesOf(app: NestExpressApplication): string[] {
  return allRoutes(app).filter((route) => !isRouteOfPage(route));
}

/** Every route of the console but for `/`, which is for programs, too. */
export function pagesOf(app: NestExpressApplication): string[] {
  return allRoutes(app).filter(isRouteOfPage);
}

/** Whether a path leads to the console, which is described by looking at it. */
export const isPage = (path: string): boolean => /^\/(?!api\/|docs|health\/|hooks\/|\*|\{|$)/.test(path);

const isRouteOfPage = (route: string): boolean => isPage(route.split(' ')[1] ?? '');

function allRoutes(app: NestExpressApplication): string[] {
  const { router } = app.getHttpAdapter().getInstance() as unknown as {
    router: { stack: readonly Layer[] };
  };
  const routes = router.stack.flatMap(({ route }) =>
    Object.keys(route?.methods ?? {}).map((method) => `${method.toUpperCase()} ${route?.path ?? ''}`),
  );
  // What stands behind all others is there for every method.
  return [...new Set(routes.map((route) => route.replace(/^\S+ \/\{?\*path\}?$/, 'ANY /*path')))].sort();
}

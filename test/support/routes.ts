import { type NestExpressApplication } from '@nestjs/platform-express';

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
}

/** All routes of the service except pages, such as `GET /api/v1/files/:blob_id`, as spelled in the router; sorted. */
export function routesOf(app: NestExpressApplication): string[] {
  return allRoutes(app).filter((route) => !isRouteOfPage(route));
}

/** All routes of the console except `/`, which also serves programs. */
export function pagesOf(app: NestExpressApplication): string[] {
  return allRoutes(app).filter(isRouteOfPage);
}

/** Whether a path belongs to the console, which the OpenAPI document does not describe. */
export const isPage = (path: string): boolean => /^\/(?!api\/|docs|health\/|hooks\/|\*|\{|$)/.test(path);

const isRouteOfPage = (route: string): boolean => isPage(route.split(' ')[1] ?? '');

function allRoutes(app: NestExpressApplication): string[] {
  const { router } = app.getHttpAdapter().getInstance() as unknown as {
    router: { stack: readonly Layer[] };
  };
  const routes = router.stack.flatMap(({ route }) =>
    Object.keys(route?.methods ?? {}).map((method) => `${method.toUpperCase()} ${route?.path ?? ''}`),
  );
  // The catch-all route exists once per method.
  return [...new Set(routes.map((route) => route.replace(/^\S+ \/\{?\*path\}?$/, 'ANY /*path')))].sort();
}

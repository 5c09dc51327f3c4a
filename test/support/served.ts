import { serve, type Serving } from './service.js';

/** What `serve` starts, for the tests of the file, or of the `describe`, in which it is called. */
export function served(...definitions: Parameters<typeof serve>): Pick<Serving, 'service' | 'api'> {
  let serving: Serving | undefined;
  beforeAll(async () => {
    serving = await serve(...definitions);
  });
  afterAll(() => serving?.service.stop());
  return { service: later(() => serving?.service), api: later(() => serving?.api) };
}

/** Stands for what a hook makes before the tests run. */
export function later<T extends object>(made: () => T | undefined): T {
  return new Proxy<T>(Object.create(null) as T, {
    get: (_, name) => Reflect.get(made() ?? {}, name) as unknown,
  });
}

import { type Environment } from '../../src/config.js';
import { type KeyScope } from '../../src/common/column-values.js';
import { readDefinition } from '../../src/workflows/definition/source/read-definition.js';
import { type Client, startService, type TestService } from './service.js';

/** A service, and a client with a key of its first workspace. */
export interface Served {
  readonly service: TestService;
  readonly api: Client;
}

/** Serves these definitions for the tests of the file, or of the `describe`, in which it is called. */
export function served(
  definitions: string | readonly string[],
  environment: Environment = {},
  scope: KeyScope = 'write',
): Served {
  let service: TestService | undefined;
  let api: Client | undefined;
  beforeAll(async () => {
    service = await startService(environment);
    const [first, ...others] = [definitions].flat();
    if (first === undefined) return;
    for (const yaml of [first, ...others]) await service.apply(yaml);
    const { workspace } = readDefinition(first, 'test.yaml').definition;
    api = service.client(await service.key(workspace.id, scope));
  });
  afterAll(() => service?.stop());
  return { service: later(() => service), api: later(() => api) };
}

/** Stands for what a hook makes before the tests run. */
export function later<T extends object>(made: () => T | undefined): T {
  return new Proxy<T>(Object.create(null) as T, {
    get: (_, name) => Reflect.get(made() ?? {}, name) as unknown,
  });
}

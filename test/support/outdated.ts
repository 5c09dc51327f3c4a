import { applyDefinition } from '../../src/workflows/definition/apply-definition.js';
import { readDefinition } from '../../src/workflows/definition/source/read-definition.js';
import { Workspaces } from '../../src/workflows/model/workspaces.js';
import { type TestService } from './service.js';

/** Does this work while the service still has the definition in memory that was in force before this one. */
export async function whileOutdated<T>(
  service: TestService,
  yaml: string,
  work: () => Promise<T>,
): Promise<T> {
  const deaf = jest.spyOn(service.app.get(Workspaces, { strict: false }), 'forget').mockReturnValue();
  try {
    await applyDefinition(service.dataSource, readDefinition(yaml, 'test.yaml'));
    return await work();
  } finally {
    deaf.mockRestore();
  }
}

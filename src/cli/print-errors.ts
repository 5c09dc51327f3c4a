import { DefinitionFaults } from '../definitions/definition-faults.js';
import { print } from './print.js';

/** Does the work; where it fails and machines listen, tells them why on standard output: `{"errors":[…]}`. */
export async function printingErrors(isJson: boolean, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isJson) throw error;
    print(JSON.stringify({ errors: errorsOf(error) }));
    process.exitCode = 1;
  }
}

function errorsOf(error: unknown): readonly object[] {
  if (error instanceof DefinitionFaults) return error.faults;
  return [{ message: error instanceof Error ? error.message : String(error) }];
}

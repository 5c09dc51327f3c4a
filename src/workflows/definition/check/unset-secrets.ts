import { isSecretPart, secretPrefix, secretVariable } from '../../expressions/secret-variable.js';
import { templateIfAny } from '../../expressions/template.js';
import { type Report } from '../../model/check/kit.js';
import { type WorkspaceDefinition } from '../../model/definition.js';

/** A secret that a setting names, beside those in texts. */
export interface SecretUse {
  readonly holder: object;
  readonly key: string | number;
  readonly name: string;
}

/** Warns once of each secret that is used but not set, where it is first used. */
export function warnOfUnsetSecrets(
  definition: WorkspaceDefinition,
  named: readonly SecretUse[],
  isSet: ReadonlyMap<string, string>,
  report: Report,
): void {
  const workspace = definition.workspace.id;
  if (!isSecretPart(workspace)) return;
  const told = new Set<string>();
  for (const { holder, key, name } of [...secretsIn(definition), ...named]) {
    const variable = secretVariable(workspace, name);
    if (!isSecretPart(name) || isSet.get(variable.slice(secretPrefix.length)) || told.has(variable)) continue;
    told.add(variable);
    const message = `needs the secret ${name}, which is not set in the environment of this command: workers need ${variable}`;
    report(holder, key, message, 'warning');
  }
}

/** The secrets in the texts of a definition. */
function* secretsIn(holder: object): Generator<SecretUse> {
  for (const [key, value] of Object.entries(holder) as [string, unknown][]) {
    const at = Array.isArray(holder) ? Number(key) : key;
    if (typeof value === 'string' && value.includes('{{'))
      for (const name of templateIfAny(value)?.secrets ?? []) yield { holder, key: at, name };
    else if (typeof value === 'object' && value !== null) yield* secretsIn(value);
  }
}

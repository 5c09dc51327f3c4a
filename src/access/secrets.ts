import { TellingError } from '../common/errors.js';
import { say } from '../common/message.js';
import { isSecretPart, secretPrefix, secretVariable } from '../workflows/expressions/secret-variable.js';

/** The secrets that workspaces use in calls to other systems. Each workspace has its own. */
export class Secrets {
  /** `known` maps names of variables, without the prefix `WTS_SECRET_`, to values. */
  constructor(private readonly known: ReadonlyMap<string, string>) {}

  /** The value of a secret. Throws `NoSecret` if the secret is not set, or if a name fails `isSecretPart`. */
  value(workspace: string, name: string): string {
    if (!isSecretPart(workspace) || !isSecretPart(name))
      throw new NoSecret(say`the secret ${name} of workspace ${workspace} has an ambiguous name`);
    const variable = secretVariable(workspace, name);
    const value = this.known.get(variable.slice(secretPrefix.length));
    if (!value) throw new NoSecret(say`the secret ${name} is not set: ${variable}`);
    return value;
  }
}

export class NoSecret extends TellingError {}

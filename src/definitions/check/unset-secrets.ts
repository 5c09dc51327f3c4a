import { isSecretPart, secretPrefix, secretVariable } from '../../expressions/secret-variable.js';
import { templateIfAny } from '../../expressions/template.js';
import { triggerTypes } from '../../rules/trigger-types.js';
import { type Report } from '../../workspace/check/kit.js';
import { type WorkspaceDefinition } from '../../workspace/definition.js';

/** The secrets that are set, by the names of their variables without the prefix. */
export type SetSecrets = ReadonlyMap<string, string>;

/** Warns once of each secret that steps, webhooks and channels use but that is not set, where it is first used. */
export function warnOfUnsetSecrets(
  { workspace, workflows, webhooks, channels }: WorkspaceDefinition,
  isSet: SetSecrets,
  report: Report,
): void {
  const told = new Set<string>();
  const warn = (holder: object, key: string | number, names: Iterable<string>): void => {
    for (const name of names) {
      const variable = secretVariable(workspace.id, name);
      if (isSet.get(variable.slice(secretPrefix.length)) || told.has(variable)) continue;
      told.add(variable);
      const message = `needs the secret ${name}, which is not set in the environment of this command: workers need ${variable}`;
      report(holder, key, message, 'warning');
    }
  };
  if (!isSecretPart(workspace.id)) return;
  const warnOfText: Visit = (holder, key, text) => {
    warn(holder, key, templateIfAny(text)?.secrets ?? []);
  };
  for (const { actions } of workflows) for (const { steps } of actions) eachText(steps, warnOfText);
  for (const { rules } of workflows)
    for (const rule of rules) {
      const name = triggerTypes.get(rule.on)?.secret?.(rule);
      if (name !== undefined && isSecretPart(name)) warn(rule, 'secret', [name]);
    }
  for (const { headers = {} } of webhooks) eachText(headers, warnOfText);
  eachText(channels, warnOfText);
}

type Visit = (holder: object, key: string | number, text: string) => void;

function eachText(holder: object, visit: Visit): void {
  for (const [key, value] of Object.entries(holder) as [string, unknown][]) {
    const at = Array.isArray(holder) ? Number(key) : key;
    if (typeof value === 'string') visit(holder, at, value);
    else if (typeof value === 'object' && value !== null) eachText(value, visit);
  }
}

import { type Repository } from 'typeorm';
import { type Config } from '../config.js';
import { type WorkspaceEntity } from '../entities/workspace.entity.js';
import { formerPrefix, isSecretPart, secretPrefix, secretVariable } from '../expressions/secret-variable.js';
import { type Logger } from '../lib/logger.js';
import { StepFailed } from '../actions/step.js';
import { say } from '../lib/message.js';

/** The secrets that steps may use. Each workspace has its own. */
export class Secrets {
  constructor(private readonly variables: ReadonlyMap<string, string>) {}

  /** The value of a secret; throws `StepFailed` with the name of the variable if it is missing. */
  value(workspace: string, name: string): string {
    if (!isSecretPart(workspace) || !isSecretPart(name))
      throw new StepFailed(say`the secret ${name} of workspace ${workspace} has an ambiguous name`);
    const variable = secretVariable(workspace, name);
    const value = this.variables.get(variable);
    if (!value) throw new StepFailed(say`the secret ${name} is not set: ${variable}`);
    return value;
  }
}

/** Reads the secrets from the configuration, and warns of variables that are ignored. */
export async function openSecrets(
  workspaces: Repository<WorkspaceEntity>,
  { secrets }: Config,
  logger: Logger,
): Promise<Secrets> {
  const variables = new Map([...secrets].map(([name, value]) => [secretPrefix + name, value]));
  const known = variables.size > 0 ? await workspaces.find({ select: { slug: true } }) : [];
  const slugs = known.map(({ slug }) => slug);
  for (const variable of variables.keys()) {
    const fault = faultOf(variable, slugs);
    if (fault === undefined) continue;
    variables.delete(variable);
    // The variable may be kept for an older version that runs in parallel.
    const isReplaced = clearNames(variable, slugs).some((name) => variables.has(name));
    if (!isReplaced) logger.warn(`${variable} is ignored: ${fault}`);
  }
  return new Secrets(variables);
}

/** Why a variable is ambiguous; undefined if it is not. */
function faultOf(variable: string, workspaces: readonly string[]): string | undefined {
  // These ids are from before the rule for ids and the two underscores.
  const unclear = workspaces.find((slug) => !isSecretPart(slug) && variable.startsWith(formerPrefix(slug)));
  if (unclear !== undefined)
    return `it could belong to workspace ${unclear}, whose id makes secrets ambiguous`;
  const [workspace = '', ...name] = variable.slice(secretPrefix.length).split('__');
  const isClear = [workspace, name.join('__')].every((part) => isSecretPart(part) && !/[-a-z]/.test(part));
  return isClear ? undefined : `rename it to ${clearNames(variable, workspaces).join(' or ')}`;
}

/** Unambiguous names for the variable; several workspaces may be meant. */
function clearNames(variable: string, workspaces: readonly string[]): string[] {
  const meant = workspaces.filter((workspace) => variable.startsWith(formerPrefix(workspace)));
  const names = meant.flatMap((workspace) => {
    const name = variable.slice(formerPrefix(workspace).length);
    return isSecretPart(name) ? [secretVariable(workspace, name)] : [];
  });
  return names.length > 0 ? names : [secretVariable('<WORKSPACE>', '<NAME>')];
}

/** What the variable of every secret begins with. */
export const secretPrefix = 'WTS_SECRET_';

/**
 * Whether this can be a part of a secret's variable: the id of its workspace, or its name. As `-` becomes `_` there, only
 * without two in a row, or one at an end, does the variable tell where one part ends: nobody names another's secret.
 */
export function isSecretPart(text: string): boolean {
  return /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/i.test(text);
}

/** The variable that holds a secret of a workspace. */
export function secretVariable(workspace: string, name: string): string {
  return `${secretPrefix}${upper(workspace)}__${upper(name)}`;
}

/** What the variable of a workspace's secret began with before there were two underscores. */
export function formerPrefix(workspace: string): string {
  return `${secretPrefix}${upper(workspace)}_`;
}

const upper = (text: string): string => text.toUpperCase().replaceAll('-', '_');

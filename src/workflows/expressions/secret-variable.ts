export const secretPrefix = 'WTS_SECRET_';

/**
 * Whether a workspace id or secret name can be a part of a variable. Since `-` becomes `_` there, `__` within a part or
 * `_` at its end would let one workspace name another's secret.
 */
export function isSecretPart(text: string): boolean {
  return /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/i.test(text);
}

export function secretVariable(workspace: string, name: string): string {
  return `${secretPrefix}${upper(workspace)}__${upper(name)}`;
}

const upper = (text: string): string => text.toUpperCase().replaceAll('-', '_');

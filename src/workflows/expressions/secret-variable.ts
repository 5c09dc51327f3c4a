export const secretPrefix = 'WTS_SECRET_';

/**
 * Whether a workspace id or secret name can be part of a variable's name, in which `-` becomes `_`. With `__`
 * within a part or `_` at an end of it, one workspace could name the secret of another.
 */
export function isSecretPart(text: string): boolean {
  return /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/i.test(text);
}

export function secretVariable(workspace: string, name: string): string {
  return `${secretPrefix}${upper(workspace)}__${upper(name)}`;
}

const upper = (text: string): string => text.toUpperCase().replaceAll('-', '_');

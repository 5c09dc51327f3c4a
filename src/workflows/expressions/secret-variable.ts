export const secretPrefix = 'WTS_SECRET_';

/**
 * Whether a workspace id or secret name can be part of the name of an environment variable. In that name, `-`
 * becomes `_`. If the text then contains `__`, or begins or ends with `_`, the function refuses the text. A
 * secret of another workspace could otherwise have the same variable.
 */
export function isSecretPart(text: string): boolean {
  return /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/i.test(text);
}

export function secretVariable(workspace: string, name: string): string {
  return `${secretPrefix}${upper(workspace)}__${upper(name)}`;
}

const upper = (text: string): string => text.toUpperCase().replaceAll('-', '_');

import { readFileSync } from 'node:fs';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment with values from files: `NAME_FILE` is the path of a file with the value of `NAME`, if that allows
 * it, as Docker and Kubernetes mount secrets. Trailing line breaks are dropped. A fault never shows a value.
 */
export function withSecretsFromFiles(
  environment: Environment,
  mayBeFile: (name: string) => boolean,
): { readonly environment: Environment; readonly faults: readonly string[] } {
  const values: [string, string][] = [];
  const faults: string[] = [];
  for (const [variable, path] of Object.entries(environment)) {
    const name = variable.replace(/_FILE$/, '');
    if (name === variable || !path || !mayBeFile(name)) continue;
    const { value, fault } = environment[name] ? { fault: 'must not both be set' } : readValue(path);
    // The path itself may be a secret that was set by mistake.
    const shown = name.endsWith('_URL') && !/:\/\/|@/.test(path) ? `${path} ` : '';
    if (value !== undefined) values.push([name, value]);
    else faults.push(environment[name] ? `${name} and ${variable} ${fault}` : `${variable} must be a file with a value that can be read: ${shown}${fault}`); // prettier-ignore
  }
  // Without values from files, the original object is kept: its lookup of names may differ, as on Windows.
  return {
    environment: values.length === 0 ? environment : { ...environment, ...Object.fromEntries(values) },
    faults,
  };
}

/** The value in a file, or why there is none. */
function readValue(path: string): { readonly value?: string; readonly fault?: string } {
  try {
    const value = readFileSync(path, 'utf8').replace(/[\r\n]+$/, '');
    return value === '' ? { fault: 'is empty' } : { value };
  } catch (error) {
    const code = String(Reflect.get(Object(error), 'code'));
    return { fault: reasons.get(code) ?? `cannot be read (${code})` };
  }
}

const reasons = new Map([
  ['ENOENT', 'does not exist'],
  ['EACCES', 'is not readable by this user'],
  ['EISDIR', 'is a folder'],
]);

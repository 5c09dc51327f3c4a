import { readFileSync } from 'node:fs';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment, with what stands in files: where `NAME` may do so, `NAME_FILE` names the file that holds its value, as
 * Docker and Kubernetes mount secrets. Line breaks at its end are not part of the value. A fault never shows a value.
 */
export function withFiles(
  environment: Environment,
  mayBeFile: (name: string) => boolean,
): { readonly environment: Environment; readonly faults: readonly string[] } {
  const values: [string, string][] = [];
  const faults: string[] = [];
  for (const [variable, path] of Object.entries(environment)) {
    const name = variable.replace(/_FILE$/, '');
    if (name === variable || !path || !mayBeFile(name)) continue;
    const value = environment[name] ? undefined : readValue(path);
    if (value) values.push([name, value]);
    else faults.push(environment[name] ? `${name} and ${variable} must not both be set` : `${variable} must be a file with a value that can be read`); // prettier-ignore
  }
  // The environment itself where there are none: it may look names up in its own way.
  return {
    environment: values.length === 0 ? environment : { ...environment, ...Object.fromEntries(values) },
    faults,
  };
}

function readValue(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/[\r\n]+$/, '');
  } catch {
    return undefined;
  }
}

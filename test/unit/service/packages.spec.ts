import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

// Rule: no package of telemetry is installed, and none runs a script at its installation that package.json does not name.

interface Installed {
  readonly name?: string;
  readonly hasInstallScript?: boolean;
  readonly resolved?: string;
}
const read = (file: string): unknown =>
  JSON.parse(readFileSync(resolve(import.meta.dirname, '../../..', file), 'utf8'));
const { packages } = read('package-lock.json') as { readonly packages: Readonly<Record<string, Installed>> };
const { allowScripts } = read('package.json') as { readonly allowScripts: Readonly<Record<string, boolean>> };
// What an alias stands for has its own name in `name`.
const installed = Object.entries(packages).map(([path, entry]) => ({
  ...entry,
  name: entry.name ?? path.replace(/^.*node_modules\//, ''),
}));

describe('the packages of package-lock.json', () => {
  it('hold no telemetry', () => {
    const telemetry = /^@scarf\/|^@segment\/|posthog|analytics|mixpanel/;
    expect(installed.map(({ name }) => name).filter((name) => telemetry.test(name))).toEqual([]);
  });

  it('run only the installation scripts that package.json names', () => {
    const scripted = installed.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name);
    expect(scripted.filter((name) => !(name in allowScripts))).toEqual([]);
  });

  it('name no registry', () => {
    expect(installed.filter(({ resolved }) => resolved !== undefined)).toEqual([]);
  });
});

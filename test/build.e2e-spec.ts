import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..');

describe('the build', () => {
  it('three at once, as by three commands after a change, all succeed and leave one whole', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wts-build-'));
    const parts = ['src', 'migrations', 'bench', 'dist', 'package.json', 'package-lock.json', 'build.mjs', 'bundle.mjs', '.swcrc']; // prettier-ignore
    for (const part of parts) await cp(join(root, part), join(folder, part), { recursive: true });
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'src/changed.ts'), 'export {};\n');

    const run = promisify(execFile);
    const build = (): Promise<unknown> => run(process.execPath, ['build.mjs', '--if-stale'], { cwd: folder });
    await Promise.all([build(), build(), build()]);

    const { stdout } = await run(process.execPath, ['dist/src/cli/wts.js', '--help'], { cwd: folder });
    expect(stdout).toContain('Usage: wts');
    expect(await readdir(join(folder, 'dist/src'))).toContain('changed.js');
    expect((await readdir(folder)).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
    await rm(folder, { recursive: true });
  });
});

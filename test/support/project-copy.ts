import { cp, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The inputs of a build, and the result of the last one. */
const parts = ['src', 'packages', 'migrations', 'bench', 'dist', 'package.json', 'package-lock.json', 'tools/build']; // prettier-ignore

/** Copies the project, with further parts of it, so that it can be built; the caller removes the folder. */
export async function copyProject(further: readonly string[] = []): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wts-project-'));
  for (const part of [...parts, ...further])
    await cp(join(root, part), join(folder, part), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

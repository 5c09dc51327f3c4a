import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A fenced block of a Markdown page. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** The line of the page where its text begins. */
  readonly line: number;
}

/** Commands of a block, with the answer that the page shows below them; none if they print nothing. */
interface Step {
  readonly commands: string;
  readonly answer: string;
  readonly line: number;
}

/** A step of a page, with its actual output. */
export interface Difference extends Step {
  readonly printed: string;
}

export function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ 1: language = '', 2: text = '', index }) => ({
    language,
    text,
    line: page.slice(0, index).split('\n').length + 1,
  }));
}

/** Marks a command that needs something that a test lacks, such as Docker. */
export const untyped = /^# Not typed by a test: \S.*\n/;
export const isTyped = ({ language, text }: Block): boolean => language === 'sh' && !untyped.test(text);

/** A block whose first line is a comment with a file name is that file. */
export const fileOf = ({ text }: Block): string | undefined => /^(?:#|\/\/) (\S+\.\w+)\n/.exec(text)?.[1];

/** The settings with which a page starts the service: `WTS_RATE_LIMIT=600 npm start`. */
const starts = /^(?:npm ci && )?((?:\w+=\S+ )*)npm start$/m;
export function settingsOf(blocks: readonly Block[]): Record<string, string> {
  const settings = blocks.flatMap(({ text }) => starts.exec(text)?.[1]?.trim().split(' ') ?? []);
  return Object.fromEntries(settings.filter(Boolean).map((setting) => splitAt(setting, '=')));
}

function splitAt(text: string, mark: string): [string, string] {
  const [before = '', ...after] = text.split(mark);
  return [before, after.join(mark)];
}

/** Lines that begin with `#`, or a block of `text` directly below, are the answer to the preceding commands. */
function stepsOf({ text, line }: Block, next: Block | undefined): Step[] {
  const isBelow = next?.line === line + text.split('\n').length + 2;
  const shown = next?.language === 'text' && isBelow ? next.text : undefined;
  const parts = [...text.matchAll(/((?:^(?!#).*\n)+)((?:^#.*\n)*)/gm)];
  return parts.map(({ 1: commands = '', 2: answer = '', index }) => ({
    commands,
    answer: (shown ?? answer.replace(/^# ?/gm, '')).trim(),
    line: line + text.slice(0, index).split('\n').length - 1,
  }));
}

interface Place {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Replaces parts of the page's text by those of the test: the printed key, another port. */
  readonly adapt: (text: string) => string;
  /** Replaces parts of the output by those of the page. */
  readonly restore: (printed: string) => string;
}

/** Types these blocks into one shell, in order, and returns where the output differs from the page. */
export async function typeBlocks(blocks: readonly Block[], place: Place): Promise<Difference[]> {
  for (const block of blocks) {
    const file = fileOf(block);
    if (file !== undefined && block.language !== 'sh')
      await writeFile(join(place.folder, file), place.adapt(block.text));
  }
  const steps = blocks.flatMap((block, at) => (isTyped(block) ? stepsOf(block, blocks[at + 1]) : []));
  const printed = await type(steps, place);
  const told = steps.map((step, index) => ({ ...step, printed: printed[index] ?? 'It was not reached.' }));
  return told.filter((step) => !isLike(step.printed, step.answer));
}

/** Separates the outputs of two steps. */
const mark = '\x1e';

async function type(
  steps: readonly Step[],
  { folder, environment, adapt, restore }: Place,
): Promise<string[]> {
  const script = steps.map(({ commands }) => `${adapt(commands.replace(starts, ''))}\nprintf '${mark}'\n`);
  const shell = spawn('bash', ['--norc', '-e', '-o', 'pipefail', '-c', `exec 2>&1\n${script.join('')}`], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ...environment },
    // Its own process group, so that background processes of the page end with it.
    detached: true,
  });
  let out = '';
  shell.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  const closed = once(shell, 'close');
  const [code] = (await once(shell, 'exit')) as [number | null];
  if (shell.pid !== undefined) killGroup(shell.pid);
  await closed;
  const printed = out.split(mark).map((text) => restore(text).replaceAll('\r', '').trim());
  // After the last mark comes the reason why the shell stopped.
  return code === 0
    ? printed.slice(0, -1)
    : [...printed.slice(0, -1), `${printed.at(-1)} (ends with ${code})`];
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGTERM');
  } catch {
    // All of it has ended.
  }
}

/** Texts that vary between runs: times, keys, ids and the versions of tasks. */
const varying: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>'],
  [/wts_\w{40}/g, 'wts_<key>'],
  [/("(?:id|blobId|request_id)":)"[\w-]{16,27}"/g, '$1"<id>"'],
  [/(\/workflows\/[\w-]+\/tasks\/)[\w-]{12}"/g, '$1<id>"'],
  [/"\d+-[\w-]{10,}"/g, '<version>'],
];

/** Ignores spaces and line breaks, so that a page may wrap long answers; `…` stands for anything. */
function isLike(printed: string, answer: string): boolean {
  const plain = (text: string): string =>
    varying.reduce((found, [what, name]) => found.replace(what, name), text).replace(/\s/g, '');
  const pattern = plain(answer).split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*?'); // prettier-ignore
  return new RegExp(`^${pattern}$`, 's').test(plain(printed));
}

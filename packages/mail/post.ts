import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Letter } from './letter.js';
import { sendBySmtp } from './smtp.js';

/** The outcome of a letter. */
export type PostOutcome =
  | {
      readonly is: 'sent';
      /** The server's answer, for operators. */
      readonly answer?: string | undefined;
    }
  | {
      readonly is: 'refused';
      /** The reason, without the server's answer. */
      readonly reason: string;
      readonly answer?: string | undefined;
      /** The SMTP status of the answer, if there was one. */
      readonly status?: number | undefined;
      /** Whether another try may help. */
      readonly mayPass: boolean;
      /** Whether the server refuses the sender's address, whoever the recipient is. */
      readonly isOfSender?: boolean | undefined;
    }
  | { readonly is: 'unknown'; readonly reason: string };

/** How to end a try early, and the callback before the letter may be sent. */
export interface PostTerms {
  readonly signal: AbortSignal;
  readonly onContent: () => Promise<void>;
}

/** A way to send letters. */
export interface Post {
  /** Reports failures of the server in its result; throws only what `onContent` throws. */
  send(letter: Letter, terms: PostTerms): Promise<PostOutcome>;
}

/** Opens `smtp://`, `smtps://` or `file:FOLDER`, without connecting yet. */
export function openPost(url: string, { phaseMs }: { readonly phaseMs: number }): Post {
  if (url.startsWith('file:')) return folderPost(resolve(url.slice('file:'.length).replace(/^\/\//, '')));
  return { send: (letter, terms) => sendBySmtp(new URL(url), phaseMs, letter, terms) };
}

/** Writes letters as files; the same letter replaces its earlier file. */
function folderPost(folder: string): Post {
  let sweptAt = 0;
  return {
    async send({ id, content }, { onContent }) {
      await onContent();
      try {
        await mkdir(folder, { recursive: true });
        if (Date.now() - sweptAt > STALE_MS) await dropParts(folder);
        sweptAt = Date.now();
        const name = id.replace(/[^\w.@-]/g, '_');
        await writeFile(join(folder, `${name}.part`), content);
        await rename(join(folder, `${name}.part`), join(folder, `${name}.eml`));
        return { is: 'sent' };
      } catch {
        return { is: 'refused', reason: 'the folder for mail cannot be written', mayPass: true };
      }
    },
  };
}

/** Removes the unfinished files of processes that were killed. */
async function dropParts(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.part'))) {
    // Another process may have finished it meanwhile.
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > STALE_MS) await rm(join(folder, name), { force: true });
  }
}

/** No write takes that long. */
const STALE_MS = 60_000;

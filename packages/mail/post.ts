import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Letter } from './letter.js';
import { sendBySmtp } from './smtp.js';

/** What became of a letter. */
export type PostOutcome =
  | {
      readonly is: 'sent';
      /** What the server said, for those who run the service. */
      readonly answer?: string | undefined;
    }
  | {
      readonly is: 'refused';
      /** Why, without what the server said. */
      readonly reason: string;
      readonly answer?: string | undefined;
      /** The status of SMTP that it was answered with, if it was. */
      readonly status?: number | undefined;
      /** Whether another try may help. */
      readonly mayPass: boolean;
      /** Whether the server refuses the address that the letter is from, whoever it is for. */
      readonly isOfSender?: boolean | undefined;
    }
  | { readonly is: 'unknown'; readonly reason: string };

/** How a try ends before its time, and who is told that the letter may be sent from now on. */
export interface PostTerms {
  readonly signal: AbortSignal;
  readonly onContent: () => Promise<void>;
}

/** Where letters are handed in. */
export interface Post {
  /** Never throws for what the other side does, only what `onContent` throws. */
  send(letter: Letter, terms: PostTerms): Promise<PostOutcome>;
}

/** Opens `smtp://`, `smtps://` or `file:FOLDER`; nothing is connected yet. */
export function openPost(url: string, { phaseMs }: { readonly phaseMs: number }): Post {
  if (url.startsWith('file:')) return folderPost(resolve(url.slice('file:'.length).replace(/^\/\//, '')));
  return { send: (letter, terms) => sendBySmtp(new URL(url), phaseMs, letter, terms) };
}

/** Writes letters as files; the same one again takes the place of the first. */
function folderPost(folder: string): Post {
  return {
    async send({ id, content }, { onContent }) {
      await onContent();
      try {
        await mkdir(folder, { recursive: true });
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

import { type VNode } from 'preact';
import { type SignedIn } from '../reader.js';
import { type Formatted } from './markdown.js';

/** A text of many lines: as Markdown where it was made so, else as it is, and no more of it than a page holds. */
export function LongTextValue({ to, text, formatted, whole }: LongTextProps): VNode {
  const html = formatted.get(text);
  if (html !== undefined) return <div class="prose" dangerouslySetInnerHTML={{ __html: html }} />;
  if (text.length <= MAX_SHOWN) return <p class="lines">{text}</p>;
  const { task: words } = to.words;
  const left = (text.length - MAX_SHOWN).toLocaleString(to.locale);
  return (
    <>
      <p class="lines">{beginningOf(text)}…</p>
      <p class="muted small">
        {words.longText(left)} {whole !== undefined && <a href={whole}>{words.wholeText}</a>}
      </p>
    </>
  );
}

interface LongTextProps {
  readonly to: SignedIn;
  readonly text: string;
  readonly formatted: Formatted;
  /** Where all of it is. */
  readonly whole?: string;
}

/** UTF-16 units. */
const MAX_SHOWN = 20_000;

/** Half a character is none. */
const beginningOf = (text: string): string => text.slice(0, MAX_SHOWN).replace(/[\ud800-\udbff]$/, '');

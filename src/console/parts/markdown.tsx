import MarkdownIt, { type RendererRule } from 'markdown-it';
import { type VNode } from 'preact';
import { type Pause } from '../../../packages/fair/turn.js';
import { useReader } from '../reader.js';
import { type MentionNames, readMentions } from './mention.js';

/** Texts as HTML, where they are Markdown that is short enough. */
export type Formatted = ReadonlyMap<string, string>;

/**
 * Makes HTML of some texts, with the names of whom they mention, as far as the page has room for it: what is longer, or too much, is shown as it is. Others
 * have their turn between texts, each of which takes 30 ms at most.
 */
export async function format(
  texts: readonly string[],
  pause: Pause,
  names?: MentionNames,
): Promise<Formatted> {
  const formatted = new Map<string, string>();
  let room = MAX_OF_PAGE;
  for (const text of texts) {
    if (text.length > Math.min(room, MAX_OF_TEXT) || formatted.has(text)) continue;
    room -= text.length;
    await pause();
    formatted.set(text, parser.render(text, { names }).trim());
  }
  return formatted;
}

/** Characters; what they take is measured in docs/decisions/pages-from-the-server.md. */
const MAX_OF_TEXT = 10_000;
const MAX_OF_PAGE = 60_000;

const parser = new MarkdownIt('default', {
  html: false,
  linkify: true,
  breaks: true,
  maxNesting: 20,
}).disable(['image']);
parser.validateLink = (href) => /^(https?:|mailto:)/i.test(href);
readMentions(parser);
const rules: Record<string, RendererRule> = {
  link_open: (tokens, at, options, _, renderer) => {
    tokens[at]?.attrSet('rel', 'noopener noreferrer nofollow');
    return renderer.renderToken(tokens, at, options);
  },
  // The page has its own order of headings.
  heading_open: () => '<p class="heading">',
  heading_close: () => '</p>',
  table_open: () => '<div class="table-frame"><table>',
  table_close: () => '</table></div>',
  // The policy of the page refuses styles, by which cells would be aligned.
  th_open: () => '<th>',
  td_open: () => '<td>',
};
Object.assign(parser.renderer.rules, rules);

/** A text of many lines; of a long one its beginning, and the rest on demand. */
export function LongTextValue(props: LongTextProps): VNode {
  const { text } = props;
  if (linesOf(text) <= LINES_SHOWN) return <WholeText {...props} />;
  return (
    <div class="clamped stack gap-1">
      <div class="clamped-text">
        <WholeText {...props} />
      </div>
      <details class="clamp">
        <summary>
          <span class="when-closed">Show more</span>
          <span class="when-open">Show less</span>
        </summary>
      </details>
    </div>
  );
}

/** How many lines a text takes on a page that is not narrow, about. */
const linesOf = (text: string): number =>
  text
    .split('\n', LINES_SHOWN + 1)
    .reduce((lines, line) => lines + Math.max(1, Math.ceil(line.length / 90)), 0);

const LINES_SHOWN = 8;

/** As Markdown where it was made so, else as it is, and no more of it than a page holds. */
function WholeText({ text, formatted, whole }: LongTextProps): VNode {
  const reader = useReader();
  const html = formatted.get(text);
  if (html !== undefined) return <div class="prose" dangerouslySetInnerHTML={{ __html: html }} />;
  if (text.length <= MAX_SHOWN) return <p class="lines">{text}</p>;
  const left = (text.length - MAX_SHOWN).toLocaleString(reader.locale);
  return (
    <>
      <p class="lines">{beginningOf(text)}…</p>
      <p class="muted small">
        {left} more characters {whole !== undefined && <a href={whole}>Show all</a>}
      </p>
    </>
  );
}

interface LongTextProps {
  readonly text: string;
  readonly formatted: Formatted;
  /** Where all of it is. */
  readonly whole?: string;
}

/** UTF-16 units. */
const MAX_SHOWN = 20_000;

/** Half a character is none. */
const beginningOf = (text: string): string => text.slice(0, MAX_SHOWN).replace(/[\ud800-\udbff]$/, '');

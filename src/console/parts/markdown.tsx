import MarkdownIt, { type Token } from 'markdown-it';
import { h, type ComponentChildren, type VNode } from 'preact';
import { render } from 'preact-render-to-string';
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
    formatted.set(text, htmlOf(text, names));
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
readMentions(parser);

/** Nothing but what `elementOf` knows comes out; all else is its text. */
function htmlOf(text: string, names: MentionNames | undefined): string {
  return render(<>{nodesOf(parser.parse(text, { names }))}</>);
}

/** The elements of tokens, of which each that opens one stands before its content, and one that closes it behind. */
function nodesOf(tokens: readonly Token[]): ComponentChildren[] {
  const open: Open[] = [{ token: undefined, children: [] }];
  for (const token of tokens) {
    const innermost = open.at(-1);
    if (token.nesting === 1) open.push({ token, children: [] });
    else if (token.nesting === -1 && open.length > 1) {
      const { token: opened, children } = open.pop() ?? { token: undefined, children: [] };
      open.at(-1)?.children.push(opened ? elementOf(opened, children) : children);
    } else innermost?.children.push(leafOf(token));
  }
  return open.flatMap(({ children }) => children);
}

interface Open {
  readonly token: Token | undefined;
  readonly children: ComponentChildren[];
}

/** What may be around something. */
const elements: ReadonlySet<string> = new Set(['p', 'ul', 'li', 'blockquote', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'strong', 'em', 's']); // prettier-ignore

function elementOf(token: Token, children: ComponentChildren[]): ComponentChildren {
  const { tag, hidden } = token;
  if (hidden) return children;
  if (tag === 'a') return linkTo(String(token.attrGet('href') ?? ''), children);
  if (tag === 'ol') return <ol start={Number(token.attrGet('start') ?? 1)}>{children}</ol>;
  // The page has its own order of headings.
  if (/^h[1-6]$/.test(tag)) return <p class="heading">{children}</p>;
  if (tag === 'table') return <div class="table-frame">{h('table', {}, children)}</div>;
  return elements.has(tag) ? h(tag, {}, children) : children;
}

function linkTo(href: string, children: ComponentChildren): ComponentChildren {
  if (!/^(https?:|mailto:)/i.test(href)) return children;
  return (
    <a href={href} rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function leafOf(token: Token): ComponentChildren {
  switch (token.type) {
    case 'inline':
      return nodesOf(token.children ?? []);
    case 'softbreak':
    case 'hardbreak':
      return <br />;
    case 'hr':
      return <hr />;
    case 'mention':
      return <strong class="mention">@{token.content}</strong>;
    case 'code_inline':
      return <code>{token.content}</code>;
    case 'fence':
    case 'code_block':
      return (
        <pre>
          <code>{token.content}</code>
        </pre>
      );
    default:
      return token.content;
  }
}

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

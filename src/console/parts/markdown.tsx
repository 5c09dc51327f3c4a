import MarkdownIt, { type RendererRule } from 'markdown-it';
import { type VNode } from 'preact';
import { type Pause } from '../../../packages/fair/turn.js';
import { type MentionNames, readMentions } from './mention.js';

/** Maps the Markdown of a text to the rendered HTML. */
export type Formatted = ReadonlyMap<string, string>;

/**
 * Renders texts as HTML, with the names of mentioned users. Texts beyond the limits stay Markdown, so that no
 * text takes much longer than 30 ms. Between texts, the process can handle other requests.
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

/** The limits in characters. */
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
  // Headings in a text would break the outline of the page.
  heading_open: () => '<p class="heading">',
  heading_close: () => '</p>',
  table_open: () => '<div class="table-frame"><table>',
  table_close: () => '</table></div>',
  // Markdown aligns the cells of a table by inline styles, which the policy of the page forbids.
  th_open: () => '<th>',
  td_open: () => '<td>',
};
Object.assign(parser.renderer.rules, rules);

/** A text of several lines. A long text is clamped and can be unfolded. */
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

const linesOf = (text: string): number =>
  text
    .split('\n', LINES_SHOWN + 1)
    .reduce((lines, line) => lines + Math.max(1, Math.ceil(line.length / 90)), 0);

const LINES_SHOWN = 8;

/** The HTML of the text if it was rendered, otherwise the text itself. */
function WholeText({ text, formatted }: LongTextProps): VNode {
  const html = formatted.get(text);
  if (html === undefined) return <p class="lines">{text}</p>;
  return <div class="prose" dangerouslySetInnerHTML={{ __html: html }} />;
}

interface LongTextProps {
  readonly text: string;
  readonly formatted: Formatted;
}

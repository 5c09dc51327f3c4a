import { randomBytes } from 'node:crypto';
import MarkdownIt, { type Token } from 'markdown-it';
import { type FilledText, plainText } from '../workflows/expressions/template.js';

export interface MailText {
  readonly text: string;
  readonly html: string;
}

const parser = new MarkdownIt('default', {
  html: false,
  linkify: false,
  breaks: true,
  maxNesting: 20,
}).disable(['image']);

// A value may have several lines, so line breaks in texts become `<br>`.
parser.renderer.rules['text'] = (tokens, at) =>
  parser.utils.escapeHtml(tokens[at]?.content ?? '').replace(/\r?\n/g, '<br>\n');

/**
 * Renders the Markdown of a mail. Values are plain text: they are inserted after the Markdown is parsed, so
 * none can become markup. The text part of the mail is the Markdown source with its values.
 */
export function mailText(body: FilledText): MailText {
  // Placeholders contain a random name, so that no text contains a placeholder by chance.
  const name = `x${randomBytes(12).toString('hex')}x`;
  const values: string[] = [];
  const marked = body.map((part) =>
    typeof part === 'string' ? part : `${name}${values.push(part.value) - 1}z`,
  );
  const marks = new RegExp(`${name}(\\d+)z`, 'g');
  const tokens = parser.parse(marked.join(''), {});
  fill(tokens, {
    text: (text) => text.replace(marks, (_, at: string) => values[Number(at)] ?? ''),
    link: (url) => filledUrl(url, marks, values),
  });
  return { text: plainText(body), html: page(parser.renderer.render(tokens, parser.options, {})) };
}

interface Fill {
  readonly text: (text: string) => string;
  readonly link: (url: string) => string | undefined;
}

function fill(tokens: readonly Token[], by: Fill): void {
  for (const token of tokens) {
    token.content = by.text(token.content);
    token.info = '';
    const href = token.attrGet('href');
    if (href !== null) token.attrs = linkAttributes(by.link(String(href)));
    fill(token.children ?? [], by);
  }
}

function linkAttributes(href: string | undefined): [string, string][] {
  return href === undefined ? [] : [['href', href]];
}

/**
 * Fills the values into a link. If the link begins with a value, and this value is not a web URL, returns
 * undefined. The values after the beginning are URL-encoded.
 */
function filledUrl(url: string, marks: RegExp, values: readonly string[]): string | undefined {
  const whole = new RegExp(`^${marks.source}`).exec(url);
  const [mark = '', at = ''] = whole ?? [];
  const begin = whole ? (values[Number(at)] ?? '').trim() : '';
  const rest = url
    .slice(mark.length)
    .replace(marks, (_, at: string) => encodeURIComponent((values[Number(at)] ?? '').toWellFormed()));
  if (whole && !/^https?:\/\/[^\s\\"'<>]+$/i.test(begin)) return undefined;
  return `${begin}${rest}`;
}

function page(html: string): string {
  return `<!doctype html>\n<html><head><meta charset="utf-8"></head><body>\n${html}</body></html>\n`;
}

export type Paragraph = string | { readonly url: string; readonly label: string };

/** Renders the plain text and the HTML of a letter. The HTML escapes texts, so no value can become markup. */
export function letterText(paragraphs: readonly Paragraph[]): MailText {
  return {
    text: `${paragraphs.map(plain).join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"></head><body style="font-family:sans-serif">\n${paragraphs.map(marked).join('\n')}\n</body></html>\n`,
  };
}

function plain(paragraph: Paragraph): string {
  return typeof paragraph === 'string' ? paragraph : `${paragraph.label}:\n${paragraph.url}`;
}

function marked(paragraph: Paragraph): string {
  if (typeof paragraph === 'string') return `<p>${escaped(paragraph)}</p>`;
  return `<p><a href="${escaped(paragraph.url)}">${escaped(paragraph.label)}</a></p>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`).replace(/\r?\n/g, '<br>\n');
}

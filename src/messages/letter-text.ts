import { type MailText } from './mail-text.js';

/** A paragraph of a letter of the service: a text, a link, or a text to copy. */
export type Paragraph =
  | string
  | { readonly url: string; readonly label: string }
  | { readonly copied: string }
  | { readonly small: string };

/** Makes both parts of a letter from the same paragraphs. All texts are plain: no value can become markup. */
export function letterText(paragraphs: readonly Paragraph[]): MailText {
  return {
    text: `${paragraphs.map(plain).join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"></head><body style="font-family:sans-serif">\n${paragraphs.map(marked).join('\n')}\n</body></html>\n`,
  };
}

function plain(paragraph: Paragraph): string {
  if (typeof paragraph === 'string') return paragraph;
  if ('url' in paragraph) return `${paragraph.label}:\n${paragraph.url}`;
  return 'copied' in paragraph ? paragraph.copied : paragraph.small;
}

function marked(paragraph: Paragraph): string {
  if (typeof paragraph === 'string') return `<p>${escaped(paragraph)}</p>`;
  if ('url' in paragraph) return `<p><a href="${escaped(paragraph.url)}">${escaped(paragraph.label)}</a></p>`;
  if ('copied' in paragraph) return `<p style="font-size:1.6em"><b>${escaped(paragraph.copied)}</b></p>`;
  return `<p style="color:#666">${escaped(paragraph.small)}</p>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`).replace(/\r?\n/g, '<br>\n');
}

import { parse } from 'node-html-parser';
import { mailText } from '../../../src/messages/mail-text.js';

const tags = (html: string): string[] => parse(html).querySelectorAll('body *').map(({ tagName }) => tagName.toLowerCase()); // prettier-ignore

const template = (value: string) => [
  '# ',
  { value },
  '\n\nA **bold** ',
  { value },
  ' and `',
  { value },
  '`\n\n- ',
  { value },
  '\n\n| a |\n| - |\n| ',
  { value },
  ' |\n\n[open](https://acme.test/',
  { value },
  ')',
];

// Rule (time.md 5): text and HTML from one Markdown, values escaped.
describe('values in mail', () => {
  it.each([
    '<script>alert(1)</script>',
    '[click](https://evil.test)',
    '**x** _y_ `z` ~~w~~',
    '# x\n\n- a\n- b\n\n> q\n\n    code',
    '<img src=x onerror=alert(1)>',
  ])('cannot be markup or links: %j', (value) => {
    const plain = tags(mailText(template('x')).html);
    const hostile = tags(mailText(template(value)).html).filter((tag) => tag !== 'br');
    expect(hostile).toEqual(plain);
    expect(mailText(template(value)).text).toContain(`# ${value}\n\nA **bold** ${value}`);
  });

  it("can be a part of a template's link, or a whole link if that is a web address", () => {
    const link = (value: string): string | undefined =>
      parse(mailText(['[x](', { value }, ')']).html)
        .querySelector('a')
        ?.getAttribute('href');
    expect(link('https://acme.test/a?b=c')).toBe('https://acme.test/a?b=c');
    for (const value of ['javascript:alert(1)', 'data:text/html,x', '//evil.test', 'https://a.test/ x', ''])
      expect(link(value)).toBeUndefined();
    const within = parse(mailText(['[x](https://acme.test/', { value: '../a?b#c"d' }, ')']).html);
    expect(within.querySelector('a')?.getAttribute('href')).toBe('https://acme.test/..%2Fa%3Fb%23c%22d');
  });
});

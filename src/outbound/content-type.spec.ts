import { contentTypeOf } from './content-type.js';

describe('6 the content type of a download', () => {
  it.each([
    'image/png',
    'text/plain; charset=utf-8',
    'text/plain;charset="a \\" b"',
    'application/vnd.x+json ; ; a=b;',
  ])('is the header as it was sent: %s', (header) => {
    expect(contentTypeOf(header)).toBe(header);
  });

  it.each([
    undefined,
    '',
    'text',
    'text/',
    '/plain',
    'text/html;image/png',
    'text/html, text/html',
    'text/plain; charset=é',
    'text/plain; a="b',
    `text/${'x'.repeat(300)}`,
    `text/html${'  ;'.repeat(80)}!`,
  ])('is unknown where the header is no media type: %j', (header) => {
    expect(contentTypeOf(header)).toBeUndefined();
  });
});

import { readUrl } from '../read-url.js';

describe('a URL', () => {
  // URL.canParse of Node.js 20 says no from some thousand calls on.
  it('may have any letters, however often it is read', () => {
    const wrong = Array.from({ length: 20_000 }, () => readUrl('https://ü.test/ö')).filter(
      (url) => url?.href !== 'https://xn--tda.test/%C3%B6',
    );
    expect(wrong).toEqual([]);
  });

  it('may be read from a base, and is undefined where it is none', () => {
    expect(readUrl('/ö', 'http://a.test')?.href).toBe('http://a.test/%C3%B6');
    expect([readUrl('https://['), readUrl('/a'), readUrl('')]).toEqual([undefined, undefined, undefined]);
  });
});

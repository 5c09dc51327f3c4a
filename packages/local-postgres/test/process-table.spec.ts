import { birthOf, commandLine, parseBirth } from '../process.js';

const after = '4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 4711 23 24';

describe('the table of processes', () => {
  it('finds the birth of a process behind any name', () => {
    expect(parseBirth(`12 (postgres) S ${after}`)).toBe('4711');
    expect(parseBirth(`12 (a ) Z (b) R ${after}`)).toBe('4711');
  });

  it('counts a zombie as gone', () => {
    expect(parseBirth(`12 (postgres) Z ${after}`)).toBe('');
    expect(parseBirth('')).toBe('');
  });

  it('knows this process, and none that is not there', async () => {
    expect(await birthOf(process.pid)).toMatch(/^\d+$/);
    expect(await commandLine(process.pid)).toContain('node');
    expect([await birthOf(2 ** 30), await commandLine(2 ** 30)]).toEqual(['', '']);
  });
});

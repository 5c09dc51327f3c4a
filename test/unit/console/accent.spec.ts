import fc from 'fast-check';
import { coloursOf, contrast } from '../../../src/console/brand/accent.js';

const colours = fc
  .integer({ min: 0, max: 0xffffff })
  .map((number) => `#${number.toString(16).padStart(6, '0')}`);
const light = ['#ffffff', '#fbfbfc', '#f3f3f6', '#f0f0f4'];
const dark = ['#101113', '#17181b', '#1f2024', '#0b0c0d', '#212327'];

describe('an accent of any colour', () => {
  it.each([
    ['light', light],
    ['dark', dark],
  ] as const)('is seen and read on every ground, as WCAG 2.2 AA wants it: %s', (scheme, grounds) => {
    fc.assert(
      fc.property(colours, (asked) => {
        const { accent, on, strong, text, soft } = coloursOf(asked, scheme);
        for (const ground of grounds) {
          expect(contrast(accent, ground)).toBeGreaterThanOrEqual(3);
          expect(contrast(text, ground)).toBeGreaterThanOrEqual(4.5);
        }
        expect(contrast(text, soft)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(on, accent)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(on, strong)).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });
});

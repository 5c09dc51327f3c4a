import { canType, typePage } from '../support/typed-docs.js';

// The other pages of docs/: test/soak/docs/typed-pages.e2e-spec.ts.
(canType || process.env['CI'] ? it : it.skip).each(['README.md', 'docs/guide/tour.md'])(
  '%s says what its commands answer, as they are typed, and they leave nothing behind',
  async (page) => {
    const { differences, left, leftTemporary } = await typePage(page);
    expect(differences).toEqual([]);
    expect(left).toEqual(['docs', 'node_modules', 'tmp']);
    expect(leftTemporary).toEqual(['data']);
  },
);

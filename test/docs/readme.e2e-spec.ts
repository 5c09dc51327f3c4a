import { canType, typePage } from '../support/typed-docs.js';

// The pages of docs/: test/soak/docs/typed-pages.e2e-spec.ts.
(canType || process.env['CI'] ? it : it.skip)(
  'README says what its commands answer, as they are typed, and they leave nothing behind',
  async () => {
    const { differences, left, leftTemporary } = await typePage('README.md');
    expect(differences).toEqual([]);
    expect(left).toEqual(['docs', 'node_modules', 'tmp']);
    expect(leftTemporary).toEqual(['data']);
  },
);

const transform = { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false };
const options = (parser, more = {}) => ({
  swcrc: false,
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true, ...parser },
    transform: { ...transform, ...more },
    keepClassNames: true,
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
});

const plain = options({});
const jsx = options({ tsx: true }, { react: { runtime: 'automatic', importSource: 'preact' } });

export const optionsOf = (path) => (path.endsWith('.tsx') ? jsx : plain);

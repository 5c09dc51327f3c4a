/** How JSX is compiled, beside what `.swcrc` says of all sources: by the build and by the tests alike. */
export const jsx = {
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', tsx: true, decorators: true },
    transform: {
      legacyDecorator: true,
      decoratorMetadata: true,
      useDefineForClassFields: false,
      react: { runtime: 'automatic', importSource: 'preact' },
    },
    keepClassNames: true,
  },
};

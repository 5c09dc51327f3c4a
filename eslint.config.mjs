import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

const message = 'packages/safe-http is the one way out: it alone judges where a connection goes';
const protocols = ['https', 'http2', 'tls', 'dgram'].flatMap((name) => [name, `node:${name}`]);
// `http` also listens.
const listening = ['createServer', 'IncomingMessage', 'Server', 'ServerResponse'];
const servers = ['http', 'node:http'].map((name) => ({ name, allowImportNames: listening }));
const clients = ['undici', 'axios', 'got', 'node-fetch', 'ws', 'nodemailer'];
// `net` also listens and knows what an address is; types of any of them are no way out.
const sockets = ['net', 'node:net'].map((name) => ({
  name,
  importNames: ['default', 'connect', 'createConnection', 'Socket', 'Stream'],
}));

const inHandlers = {
  name: '@nestjs/common',
  importNames: ['Res', 'Response', 'Next'],
  message:
    'A handler returns its answer: an object, or a Reply where that would not do (src/common/http/replies.ts)',
};

/** No file but the client opens connections to where a request wants; `more` are further packages that do. */
const oneWayOut = (more) => ({
  '@typescript-eslint/no-restricted-imports': [
    'error',
    {
      paths: [
        ...[...servers, ...[...protocols, ...clients].map((name) => ({ name })), ...sockets].map((path) => ({
          ...path,
          message,
          allowTypeImports: true,
        })),
        inHandlers,
      ],
      patterns: [{ group: ['undici/*', 'nodemailer/*', ...more], message, allowTypeImports: true }],
    },
  ],
  'no-restricted-syntax': [
    'error',
    {
      selector: `ImportExpression[source.value=/^(node:)?(net|http|${[...protocols, ...clients].join('|')})$|^@aws-sdk/]`,
      message,
    },
  ],
});

const noWaiting =
  'A test does not wait for time to pass: settle() runs what is due, an event says when something happens';
const waitingCalls = '/^(until|sleep|setTimeout)$/';

export default tseslint.config(
  { ignores: ['dist', 'dist-*', 'packages/client/dist', 'node_modules', '.data', 'coverage'] },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.strictTypeChecked, prettier],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'max-lines': ['error', 400],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
      'no-restricted-globals': [
        'error',
        {
          globals: ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'].map((name) => ({ name, message })),
          checkGlobalObject: true,
        },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'config.ts alone reads the environment' },
        {
          object: 'AbortSignal',
          property: 'any',
          message: 'Node.js 20 may lose its timers; see time-limit.ts',
        },
        {
          object: 'URL',
          property: 'canParse',
          message: 'Node.js 20 is wrong about Latin-1; see read-url.ts',
        },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // Nest modules are classes that hold nothing but their decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // Entities and Nest's options are classes in name only: data, written as object literals.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      // A key can be left out of a copy by naming it with an underscore in front.
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
      // Numbers in messages read well without String(); everything else stays checked.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  { files: ['src/**/*.{ts,tsx}', 'packages/**/*.ts'], rules: oneWayOut(['@aws-sdk/*', '@smithy/*']) },
  // The store of attachments is where the operator says, not where a request wants.
  { files: ['src/attachments/stores/**/*.ts'], rules: oneWayOut([]) },
  {
    // This is the one way out, and its tests are servers.
    files: ['packages/safe-http/**/*.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': 'off', 'no-restricted-syntax': 'off' },
  },
  {
    // nodemailer gets its connections from packages/safe-http.
    files: ['src/messages/send-letter.ts', 'src/common/mail-address.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': 'off', 'no-restricted-syntax': 'off' },
  },
  {
    // It runs in programs of others, and connects to the service that they name.
    files: ['packages/client/*.ts'],
    rules: { 'no-restricted-globals': 'off' },
  },
  // A migration holds a definition as it was written, however long that is.
  { files: ['migrations/*.ts'], rules: { 'max-lines': 'off' } },
  { files: ['src/config.ts'], rules: { 'no-restricted-properties': 'off' } },
  {
    // Tests start processes and are clients; the body of an answer is `any`; a whole section of the contract may
    // stand in one file.
    files: ['test/**/*.{ts,tsx}', 'packages/*/test/**/*.ts', '**/*.spec.ts'],
    rules: {
      'max-lines': 'off',
      'no-restricted-properties': 'off',
      'no-restricted-globals': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
    },
  },
  {
    files: ['test/**/*.ts', 'packages/*/test/**/*.ts'],
    ignores: ['test/soak/**', 'test/support/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: `CallExpression[callee.name=${waitingCalls}]`, message: noWaiting },
        {
          selector:
            'ImportDeclaration[source.value="node:timers/promises"] ImportSpecifier[imported.name="setTimeout"]',
          message: noWaiting,
        },
      ],
    },
  },
);

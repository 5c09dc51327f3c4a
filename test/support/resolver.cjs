const { join, sep } = require('node:path');

const root = join(__dirname, '../..');
const bundles = join(root, 'dist/node_modules');

/** Finds what our own code imports where the service finds it: among the bundles, which are quicker to load. */
module.exports = (path, { defaultResolver, ...options }) => {
  const isOwn = options.basedir.startsWith(root) && !options.basedir.includes(`${sep}node_modules`);
  const { moduleDirectory = ['node_modules'] } = options;
  return defaultResolver(
    path,
    isOwn ? { ...options, moduleDirectory: [bundles, ...moduleDirectory] } : options,
  );
};

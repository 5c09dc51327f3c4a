const { existsSync, readFileSync } = require('node:fs');
const { join, relative } = require('node:path');
// It comes with Jest.
const Sequencer = require('@jest/test-sequencer').default;

const file = join(__dirname, '../seconds.json');
const seconds = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};

/** Begins with what takes longest, so that no worker is still at it when the others have nothing left to do. */
module.exports = class LongestFirst extends Sequencer {
  time(test) {
    const { rootDir } = test.context.config;
    // A larger file takes longer, where nothing is known of it.
    const bytes = test.context.hasteFS.getSize(test.path) ?? 0;
    return (seconds[relative(rootDir, test.path)] ?? bytes / 10_000) * 1000;
  }
};

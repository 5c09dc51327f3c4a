const { rmSync } = require('node:fs');
const { pathToFileURL } = require('node:url');
// It comes with Jest.
const JestRuntime = require('jest-runtime').default;

/**
 * Loads tests as Node.js loads modules. What they test is evaluated once for all files of a worker, and is warm after the
 * first; in a realm of each file's own it would be neither, and would wait for every global that it names.
 */
module.exports = class NativeRuntime extends JestRuntime {
  #bundle = '';

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    globalThis.jest = this.requireModuleOrMock(path, '@jest/globals').jest;
    const { bundleTest } = await import('./bundle-test.mjs');
    this.#bundle = await bundleTest(path);
    await import(pathToFileURL(this.#bundle).href);
  }

  /** Stack traces name lines of the source for as long as the bundle is there. */
  teardown() {
    super.teardown();
    rmSync(this.#bundle, { force: true });
  }

  /** Jest's own modules, which keep the state of one file of tests. */
  requireInternalModule(path) {
    delete require.cache[path];
    return require(path);
  }

  /** There is no sandbox to keep it in. */
  installGetBuiltinModule() {}
};

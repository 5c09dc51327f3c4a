const { relative } = require('node:path');
// It comes with Jest.
const Sequencer = require('@jest/test-sequencer').default;

/** The seconds of the test files that take long, for a machine on which nothing ran before. */
const seconds = {
  'test/executions/workers.e2e-spec.ts': 110,
  'test/faults/executions-under-faults.e2e-spec.ts': 75,
  'test/definitions/definitions-guide.e2e-spec.ts': 50,
  'test/service/start.e2e-spec.ts': 35,
  'test/docs/typed-pages.e2e-spec.ts': 80,
  'test/http/fair-shares.e2e-spec.ts': 50,
  'test/tasks/concurrency.e2e-spec.ts': 32,
  'test/attachments/upload-faults.e2e-spec.ts': 37,
  'test/executions/api-calls.e2e-spec.ts': 33,
  'test/http/hostile.e2e-spec.ts': 29,
  'test/service/operating.e2e-spec.ts': 27,
  'test/http/11-request-time.e2e-spec.ts': 23,
  'test/executions/calls-that-hang.e2e-spec.ts': 20,
  'test/service/embedded-owners.e2e-spec.ts': 19,
};

/** Begins with what takes longest, so that no worker is still at it when the others have nothing left to do. */
module.exports = class LongestFirst extends Sequencer {
  time(test) {
    const { rootDir } = test.context.config;
    // Where nothing is known, a larger file takes longer.
    const bytes = test.context.hasteFS.getSize(test.path) ?? 0;
    return super.time(test) ?? (seconds[relative(rootDir, test.path)] ?? bytes / 3000) * 1000;
  }
};

const { relative } = require('node:path');
// It comes with Jest.
const Sequencer = require('@jest/test-sequencer').default;

/** The seconds of the test files that take long, for a machine on which nothing ran before. */
const seconds = {
  'test/executions/workers.e2e-spec.ts': 140,
  'test/faults/executions-under-faults.e2e-spec.ts': 75,
  'test/docs/typed-pages.e2e-spec.ts': 60,
  'test/definitions/definitions-guide.e2e-spec.ts': 55,
  'test/attachments/upload-faults.e2e-spec.ts': 46,
  'test/faults/events-under-faults.e2e-spec.ts': 40,
  'test/links/many-links.e2e-spec.ts': 35,
  'test/executions/api-calls.e2e-spec.ts': 33,
  'test/service/start.e2e-spec.ts': 30,
  'test/service/operating.e2e-spec.ts': 28,
  'test/http/fair-shares.e2e-spec.ts': 25,
  'test/links/links-under-fire.e2e-spec.ts': 24,
  'test/executions/executions-by-bull.e2e-spec.ts': 24,
  'test/executions/calls-that-hang.e2e-spec.ts': 23,
  'test/http/11-request-time.e2e-spec.ts': 23,
  'test/tasks/4.1-batch-laws.e2e-spec.ts': 22,
  'test/service/service-faults.e2e-spec.ts': 20,
  'test/tasks/list-laws.e2e-spec.ts': 20,
  'test/cli/import-and-export.e2e-spec.ts': 20,
  'test/service/testing-against.e2e-spec.ts': 17,
  'test/service/embedded.e2e-spec.ts': 17,
  'test/unit/attachments/read-multipart.spec.ts': 16,
  'test/service/embedded-owners.e2e-spec.ts': 16,
  'test/tasks/long-lists.e2e-spec.ts': 13,
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

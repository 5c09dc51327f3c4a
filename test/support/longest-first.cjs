const { relative } = require('node:path');
// It comes with Jest.
const Sequencer = require('@jest/test-sequencer').default;

/** The seconds of the test files that take long, for a machine on which nothing ran before. */
const seconds = {
  'test/service/told-by-one.e2e-spec.ts': 38,
  'test/service/nginx.e2e-spec.ts': 39,
  'test/mail/2-mail-once.e2e-spec.ts': 43,
  'test/mail/2-mail-of-notifications.e2e-spec.ts': 46,
  'test/browser/admin.e2e-spec.ts': 42,
  'test/browser/inbox.e2e-spec.ts': 45,
  'test/clients/python.e2e-spec.ts': 85,
  'test/faults/rules-under-faults.e2e-spec.ts': 88,
  'test/clients/client.e2e-spec.ts': 107,
  'test/executions/workers.e2e-spec.ts': 175,
  'test/faults/executions-under-faults.e2e-spec.ts': 75,
  'test/docs/typed-pages.e2e-spec.ts': 109,
  'test/definitions/definitions-guide.e2e-spec.ts': 100,
  'test/browser/console.e2e-spec.ts': 51,
  'test/attachments/upload-faults.e2e-spec.ts': 40,
  'test/service/start.e2e-spec.ts': 34,
  'test/service/operating.e2e-spec.ts': 32,
  'test/executions/api-calls.e2e-spec.ts': 30,
  'test/links/links-under-fire.e2e-spec.ts': 29,
  'test/http/fair-shares.e2e-spec.ts': 27,
  'test/faults/events-under-faults.e2e-spec.ts': 26,
  'test/cli/erase-workspace.e2e-spec.ts': 26,
  'test/links/many-links.e2e-spec.ts': 25,
  'test/http/hostile.e2e-spec.ts': 25,
  'test/tasks/4.1-pages.e2e-spec.ts': 24,
  'test/executions/calls-that-hang.e2e-spec.ts': 23,
  'test/attachments/6-uploads.e2e-spec.ts': 23,
  'test/service/embedded.e2e-spec.ts': 20,
  'test/http/every-route.e2e-spec.ts': 18,
  'test/tasks/concurrency.e2e-spec.ts': 17,
  'test/http/11-request-time.e2e-spec.ts': 17,
  'test/attachments/remote-files.e2e-spec.ts': 16,
  'test/tasks/list-laws.e2e-spec.ts': 15,
  'test/service/embedded-owners.e2e-spec.ts': 15,
  'test/unit/attachments/read-multipart.spec.ts': 14,
  'test/tasks/4.1-batch-laws.e2e-spec.ts': 14,
  'test/service/metrics.e2e-spec.ts': 14,
  'test/executions/4.4-executions.e2e-spec.ts': 14,
  'test/console/hostile.e2e-spec.ts': 14,
  'test/cli/import-and-export.e2e-spec.ts': 14,
  'test/tasks/4.1-indexed-fields.e2e-spec.ts': 13,
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

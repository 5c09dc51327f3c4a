import { QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';
import { isDatabaseUnavailable } from '../../../src/common/database-error.js';

const failed = (code: string | undefined, message = 'failed'): Error =>
  Object.assign(new Error(message), code !== undefined && { code });

describe('a statement that failed', () => {
  // Rule: what may succeed later is 503, whatever says so: PostgreSQL, its disk, the network, a stream or the driver.
  it.each([
    ['57P01', 'PostgreSQL shuts down'],
    ['57P03', 'PostgreSQL starts'],
    ['58030', 'its disk fails'],
    ['53300', 'too many connections'],
    ['08P01', 'a pooler lost its server'],
    ['ECONNREFUSED', 'nobody listens'],
    ['EAI_AGAIN', 'the name servers are away'],
    ['ERR_STREAM_DESTROYED', 'the connection has been closed'],
    [undefined, 'Connection terminated unexpectedly'],
    [undefined, 'timeout expired'],
    [undefined, new QueryRunnerAlreadyReleasedError().message],
    [undefined, new QueryRunnerProviderAlreadyReleasedError().message],
  ])('%s may succeed later: %s', (code, message) => {
    expect(isDatabaseUnavailable(failed(code, message))).toBe(true);
  });

  it.each([['23505'], ['42601'], ['XX000'], ['ERR_STREAM_PREMATURE_CLOSE'], [undefined]])(
    '%s fails again',
    (code) => {
      expect(isDatabaseUnavailable(failed(code))).toBe(false);
    },
  );
});

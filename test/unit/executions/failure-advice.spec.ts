import { adviceOn } from '../../../src/executions/executions-overview.js';
import { OutboundFailure, type OutboundReason } from '../../../packages/safe-http/failure.js';

// What people are told to do about a failed execution follows from its error, as the service words it.
const outbound = (reason: OutboundReason): string => `Tell: ${new OutboundFailure(reason).message}`;

describe('the advice on a failure', () => {
  it.each([
    ['was cancelled', 'Somebody cancelled it'],
    ['task was deleted', 'nothing left to do'],
    ['took too long', 'did not finish in time'],
    ['was given up after several attempts', 'did not finish in time'],
    ['Tell: was answered with status 401', 'denied access'],
    ['Tell: was answered with status 422', 'rejected the request'],
    ['Tell: was answered with status 408', 'Try again later'],
    ['Tell: was answered with status 429', 'Try again later'],
    ['Tell: was answered with status 503', 'Try again later'],
    [outbound('timed out'), 'Try again later'],
    [outbound('unreachable'), 'Try again later'],
    [outbound('incomplete'), 'Try again later'],
    [outbound('address not allowed'), 'A setting of the service'],
    [outbound('url not allowed'), 'A setting of the service'],
    [outbound('invalid request'), 'A setting of the service'],
    ['Tell: the secret TOKEN is not set: WTS_SECRET_ACME__TOKEN', 'A setting of the service'],
    ['Amount is required', 'Correct the task'],
    ['Open the invoice: Invoice ID has already been taken', 'Correct the task'],
    ['mina@acme.test may not perform Approve', 'Correct the task'],
  ])('%s: %s', (error, advice) => {
    expect(adviceOn(error)).toContain(advice);
  });
});

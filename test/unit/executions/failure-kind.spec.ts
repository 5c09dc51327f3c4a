import { failureKindOf } from '../../../src/executions/executions-overview.js';
import { OutboundFailure, type OutboundReason } from '../../../packages/safe-http/failure.js';

// What people are told to do about a failed execution follows from its error, as the service words it.
const outbound = (reason: OutboundReason): string => `Tell: ${new OutboundFailure(reason).message}`;

describe('the kind of a failure', () => {
  it.each([
    ['was cancelled', 'cancelled'],
    ['task was deleted', 'task-deleted'],
    ['took too long', 'late'],
    ['was given up after several attempts', 'late'],
    ['Tell: was answered with status 401', 'access-denied'],
    ['Tell: was answered with status 422', 'refused'],
    ['Tell: was answered with status 408', 'unavailable'],
    ['Tell: was answered with status 429', 'unavailable'],
    ['Tell: was answered with status 503', 'unavailable'],
    [outbound('timed out'), 'unavailable'],
    [outbound('unreachable'), 'unavailable'],
    [outbound('incomplete'), 'unavailable'],
    [outbound('address not allowed'), 'settings'],
    [outbound('url not allowed'), 'settings'],
    [outbound('invalid request'), 'settings'],
    ['Tell: the secret TOKEN is not set: WTS_SECRET_ACME__TOKEN', 'settings'],
    ['Amount is required', 'task'],
    ['Open the invoice: Invoice ID has already been taken', 'task'],
    ['mina@acme.test may not perform Approve', 'task'],
  ])('%s: %s', (error, kind) => {
    expect(failureKindOf(error)).toBe(kind);
  });
});

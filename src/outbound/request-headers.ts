import { OutboundFailure } from './failure.js';

// What frames the message is ours to say, and so is the host: it is the one whose address was judged.
const ours = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What a request carries: the headers given, and what we always say. */
export function requestHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const headers = new Map([
    ['accept', '*/*'],
    ['user-agent', 'workflow-task-service'],
  ]);
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (ours.has(lower) || lower.startsWith('proxy-')) throw new OutboundFailure('invalid request');
    headers.set(lower, value);
  }
  return Object.fromEntries(headers.set('accept-encoding', 'identity'));
}

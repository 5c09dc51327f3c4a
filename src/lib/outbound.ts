import { Outbound, type OutboundSettings } from '../../packages/safe-http/client.js';

/**
 * The client for requests of the service: identifies it, and names in errors the setting that opens a blocked
 * address.
 */
export function outboundOf(settings: OutboundSettings): Outbound {
  return new Outbound({
    userAgent: 'workflow-task-service',
    addressRefusal: 'its address is not allowed (WTS_OUTBOUND_ALLOW)',
    ...settings,
  });
}

import { Outbound, type OutboundSettings } from '../../packages/safe-http/client.js';

/** Why nothing is sent or fetched. */
export const outboundIsOff = 'nothing leaves the service (WTS_OUTBOUND=off)';

/** Why an address is not connected to. */
export const addressRefusal = 'its address is not allowed (WTS_OUTBOUND_ALLOW)';

/** The client for outgoing requests: identifies the service, and names the setting that opens an address. */
export function outboundOf(settings: OutboundSettings): Outbound {
  return new Outbound({
    userAgent: 'workflow-task-service',
    addressRefusal,
    ...settings,
  });
}

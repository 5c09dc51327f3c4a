import { type LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { OutboundFailure } from './failure.js';

export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

export const systemLookup: Lookup = (hostname) => lookup(hostname, { all: true, verbatim: true });

interface ConnectorOptions {
  readonly allows: (address: string) => boolean;
  readonly lookup: Lookup;
  /** The most milliseconds for look-up, connection and TLS together. */
  readonly connectMs: number;
  readonly ca: string | undefined;
  readonly addressRefusal: string | undefined;
}

/** Returns a connector that checks IP literals, every address of a name, and the connected socket. */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  const { allows, lookup, connectMs, ca, addressRefusal } = options;
  const notAllowed = (): OutboundFailure => new OutboundFailure('address not allowed', addressRefusal);
  const find = async (hostname: string): Promise<LookupAddress[]> => {
    const addresses = await lookup(hostname);
    if (addresses.length === 0) throw new OutboundFailure('unreachable');
    if (!addresses.every(({ address }) => allows(address))) throw notAllowed();
    return [...addresses];
  };
  const connect = buildConnector({
    lookup: lookupFunction(find),
    autoSelectFamily: true,
    rejectUnauthorized: true,
    timeout: connectMs,
    ...(ca !== undefined && { ca }),
  });
  return (target, callback) => {
    // Node.js does not look up literal addresses, so `find` does not check them.
    if (isIP(target.hostname) !== 0 && !allows(target.hostname)) {
      callback(notAllowed(), null);
      return;
    }
    connect(target, (...[error, socket]) => {
      if (error !== null) callback(error, null);
      else if (allows(socket.remoteAddress ?? '')) callback(null, socket.on('error', markReset));
      else {
        socket.destroy();
        callback(notAllowed(), null);
      }
    });
  };
}

/** Converts `find` to the look-up function of Node.js, which then tries all addresses. */
function lookupFunction(find: (hostname: string) => Promise<LookupAddress[]>): LookupFunction {
  return (hostname, _options, callback) => {
    find(hostname).then(
      (addresses) => {
        callback(null, addresses);
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new OutboundFailure('unreachable'), []);
      },
    );
  };
}

/** Replaces `ECONNRESET`, which undici would treat as the regular end of a body without a length. */
function markReset(error: NodeJS.ErrnoException): void {
  if (error.code === 'ECONNRESET') error.code = 'ECONNABORTED';
}

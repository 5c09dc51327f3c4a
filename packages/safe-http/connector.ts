import { type LookupAddress } from 'node:dns';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { type ConnectionOptions, connect as secure } from 'node:tls';
import { type buildConnector } from 'undici';
import { OutboundFailure } from './failure.js';
import { type Lookup } from './lookups.js';

export interface Doors {
  readonly allows: (address: string) => boolean;
  readonly lookup: Lookup;
  /** Milliseconds for look-up, connection and TLS together. */
  readonly connectMs: number;
  /** Authorities (PEM) to trust instead of the well-known ones. */
  readonly ca: string | undefined;
  readonly addressRefusal: string | undefined;
}

/** Gets the connection that undici uses, and the network connection below it, which is the same one without TLS. */
export type OnConnect = (socket: Socket, wire: Socket) => void;

/** Opens undici's connections, to allowed addresses only; calls `onConnect` before undici uses one. */
export function guardedConnector(doors: Doors, onConnect: OnConnect): buildConnector.connector {
  return (target, callback) => {
    open(target, doors).then(
      ({ socket, wire }) => {
        onConnect(socket, wire);
        callback(null, socket);
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new OutboundFailure('unreachable'), null);
      },
    );
  };
}

type Target = Pick<buildConnector.Options, 'hostname' | 'port' | 'protocol'>;

function open(
  { hostname, port, protocol }: Target,
  { allows, lookup, connectMs, ca, addressRefusal }: Doors,
): Promise<{ readonly socket: Socket; readonly wire: Socket }> {
  const isSecure = protocol === 'https:';
  const notAllowed = (): OutboundFailure => new OutboundFailure('address not allowed', addressRefusal);
  return new Promise((resolve, reject) => {
    // Node.js does not look up literal addresses.
    if (isIP(hostname) !== 0 && !allows(hostname)) throw notAllowed();
    const socket = connect({
      host: hostname,
      port: port === '' ? (isSecure ? 443 : 80) : Number(port),
      lookup: guardedLookup(lookup, allows, notAllowed),
      noDelay: true,
      keepAlive: true,
    });
    const fail = (error: NodeJS.ErrnoException): void => {
      clearTimeout(timer);
      // undici takes `ECONNRESET` for the regular end of a body without a length.
      if (error.code === 'ECONNRESET') error.code = 'ECONNABORTED';
      socket.destroy();
      reject(error);
    };
    const succeed = (ready: Socket): void => {
      clearTimeout(timer);
      resolve({ socket: ready, wire: socket });
    };
    const timer = setTimeout(fail, connectMs, new OutboundFailure('timed out'));
    socket.on('error', fail).once('connect', () => {
      // Checked before anything is sent, including the first message of TLS.
      if (!allows(socket.remoteAddress ?? '')) fail(notAllowed());
      else if (isSecure) encrypt({ socket, ca, ...named(hostname) }, succeed).on('error', fail);
      else succeed(socket);
    });
  });
}

/** Fails if a single address of the name is not allowed. */
function guardedLookup(
  lookup: Lookup,
  allows: (address: string) => boolean,
  notAllowed: () => OutboundFailure,
): LookupFunction {
  const find = async (hostname: string): Promise<LookupAddress[]> => {
    const addresses = (await lookup(hostname)).map(({ address, family }) => ({ address, family }));
    if (addresses.length === 0) throw new OutboundFailure('unreachable');
    if (!addresses.every(({ address }) => allows(address))) throw notAllowed();
    return addresses;
  };
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

/** The name that the certificate must have; an address is not sent to the server. */
function named(hostname: string): Pick<ConnectionOptions, 'host' | 'servername'> {
  const host = hostname.replace(/\.$/, '');
  return { host, servername: isIP(host) === 0 ? host : '' };
}

function encrypt(options: ConnectionOptions, ready: (socket: Socket) => void): Socket {
  const socket = secure({ ...options, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true });
  return socket.once('secureConnect', () => {
    ready(socket);
  });
}

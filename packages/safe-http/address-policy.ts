import { BlockList, isIP, type IPVersion, SocketAddress } from 'node:net';
import { OutboundFailure } from './failure.js';
import { readUrl } from './read-url.js';

/** IPv4 networks that are not the public Internet (IANA's special-purpose registry, multicast, reserved). */
const specialIPv4: readonly string[] = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, metadata of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '168.63.129.16/32', // a service of Azure inside its machines
];

/** The only IPv6 network with public addresses. */
const globalIPv6: readonly string[] = ['2000::/3'];

/** Networks within `globalIPv6` that are not public. */
const specialIPv6: readonly string[] = [
  '2001::/23', // protocol assignments, Teredo, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: contains an IPv4 address
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // 6bone
  '3fff::/20', // documentation
];

/** Returns a check of addresses in any spelling. The check allows public addresses and these networks. */
export function addressGuard(networks: readonly string[]): (address: string) => boolean {
  const isOpened = within(networks);
  return (text) => {
    const address = parseAddress(text);
    return address !== undefined && (isOpened(address) || isPublic(address));
  };
}

interface Address {
  readonly family: IPVersion;
  readonly text: string;
}

/** Parses an address. A mapped IPv6 address counts as IPv4. Drops a zone, which is no part of the address. */
function parseAddress(text: string): Address | undefined {
  const version = isIP(text);
  if (version === 0) return undefined;
  if (version === 4) return { family: 'ipv4', text };
  const address = text.replace(/%.*$/s, '');
  return isMapped({ family: 'ipv6', text: address })
    ? { family: 'ipv4', text: mappedIPv4(address) }
    : { family: 'ipv6', text: address };
}

/** The IPv4 address in a mapped address, whose canonical text is `::ffff:` and the dotted IPv4 address. */
function mappedIPv4(address: string): string {
  return new SocketAddress({ family: 'ipv6', address }).address.slice('::ffff:'.length);
}

const isMapped = within(['::ffff:0:0/96']);
const isGlobal = within(globalIPv6);
const isSpecial = within([...specialIPv4, ...specialIPv6]);

function isPublic(address: Address): boolean {
  return (address.family === 'ipv4' || isGlobal(address)) && !isSpecial(address);
}

/** Has one list for each family: in a list for both, an IPv6 network could contain IPv4 addresses. */
function within(networks: readonly string[]): (address: Address) => boolean {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    lists[family].addSubnet(address, Number(bits), family);
  }
  return ({ family, text }) => lists[family].check(text, family);
}

/** Parses a URL for a request. Checks scheme, user name, password and port. Throws an `OutboundFailure`. */
export function parseUrl(text: string | URL, base?: URL): URL {
  const url = readUrl(String(text), base) ?? refuse('its URL is not valid');
  if (!['http:', 'https:'].includes(url.protocol)) refuse('its URL is not http or https');
  if (url.username !== '' || url.password !== '') refuse('its URL holds a user name or a password');
  if (!isPortAllowed(url.port)) refuse('the port in its URL is not allowed');
  return url;
}

/** Whether a port is allowed: the default of the scheme (empty), 80, 443, and all ports from 1024. */
function isPortAllowed(port: string): boolean {
  return port === '' || port === '80' || port === '443' || Number(port) >= 1024;
}

function refuse(message: string): never {
  throw new OutboundFailure('url not allowed', message);
}

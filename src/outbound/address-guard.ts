import { BlockList, isIP, type IPVersion, SocketAddress } from 'node:net';
import { globalIPv6, specialIPv4, specialIPv6 } from './special-networks.js';

/** Says of an address, in whatever spelling, whether we may connect to it: it is public or in one of these networks. */
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

/** IPv4 written as IPv6 is the IPv4 address; a zone names a link and is no part of an address. */
function parseAddress(text: string): Address | undefined {
  const version = isIP(text);
  if (version === 0) return undefined;
  if (version === 4) return { family: 'ipv4', text };
  const address = text.replace(/%.*$/s, '');
  return isMapped({ family: 'ipv6', text: address })
    ? { family: 'ipv4', text: mappedIPv4(address) }
    : { family: 'ipv6', text: address };
}

/** The canonical text of a mapped address is `::ffff:` and the dotted IPv4 address. */
function mappedIPv4(address: string): string {
  return new SocketAddress({ family: 'ipv6', address }).address.slice('::ffff:'.length);
}

const isMapped = within(['::ffff:0:0/96']);
const isGlobal = within(globalIPv6);
const isSpecial = within([...specialIPv4, ...specialIPv6]);

function isPublic(address: Address): boolean {
  return (address.family === 'ipv4' || isGlobal(address)) && !isSpecial(address);
}

/** One list per family: a `BlockList` of both would let an IPv6 network hold IPv4 addresses. */
function within(networks: readonly string[]): (address: Address) => boolean {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    lists[family].addSubnet(address, Number(bits), family);
  }
  return ({ family, text }) => lists[family].check(text, family);
}

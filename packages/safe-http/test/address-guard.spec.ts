import fc from 'fast-check';
import { addressGuard } from '../address-policy.js';

const isPublic = addressGuard([]);

const within = (prefix: bigint, prefixBits: number, bits: number): fc.Arbitrary<bigint> =>
  fc.bigInt({ min: 0n, max: 2n ** BigInt(bits - prefixBits) - 1n }).map((rest) => prefix + rest);

const dotted = (number: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.');
const groups = (number: bigint): string[] =>
  [...Array(8).keys()].map((index) => ((number >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));

/** The spellings of an IPv6 address that a resolver or a URL may produce. */
function spellings(number: bigint): string[] {
  const short = groups(number);
  const long = short.map((group) => group.padStart(4, '0')).join(':');
  const canonical = new URL(`http://[${long}]/`).hostname.slice(1, -1);
  const mixed = `${short.slice(0, 6).join(':')}:${dotted(number & 0xffffffffn)}`;
  return [short.join(':'), long, canonical, mixed].flatMap((text) => [
    text,
    text.toUpperCase(),
    `${text}%eth0`,
  ]);
}

const ipv4Spellings = (number: bigint): string[] => [dotted(number), ...spellings((0xffffn << 32n) + number)];

const number4 = (address: string): bigint =>
  address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
const number6 = (hex: string): bigint => BigInt(`0x${hex.padEnd(32, '0')}`);

describe('F1 addresses that are not public', () => {
  const networks4: [string, number][] = [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
    ['168.63.129.16', 32],
  ];
  it.each(networks4)('refuses all of %s/%i in every spelling', (network, bits) => {
    fc.assert(
      fc.property(within(number4(network), bits, 32), (number) => {
        expect(ipv4Spellings(number).filter(isPublic)).toEqual([]);
      }),
    );
  });

  const networks6: [string, number][] = [
    ['00', 3], // unspecified, loopback, IPv4-compatible, NAT64, discard
    ['40', 3],
    ['5f', 8],
    ['60', 3],
    ['80', 3],
    ['a0', 3],
    ['fc', 7],
    ['fe80', 10],
    ['fec0', 10],
    ['ff', 8],
    ['2001', 23],
    ['20010db8', 32],
    ['2002', 16],
    ['3fff', 20],
  ];
  it.each(networks6)('refuses all of IPv6 %s…/%i in every spelling', (network, bits) => {
    fc.assert(
      fc.property(within(number6(network), bits, 128), (number) => {
        expect(spellings(number).filter(isPublic)).toEqual([]);
      }),
    );
  });

  it.each(['', 'localhost', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '8.8.8.8/8', '8.8.8.8%eth0'])(
    'refuses what is no address: %j',
    (text) => {
      expect(isPublic(text)).toBe(false);
    },
  );
});

describe('public addresses', () => {
  it.each(
    `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
    169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255
    198.20.0.0 223.255.255.255 168.63.129.15 2606:4700:4700::1111 2a00:1450:4001::200e 2001:200:: 2001:4860::8888
    2003:: 2600::1%eth0`.split(/\s+/),
  )('are allowed: %s', (address) => {
    expect(isPublic(address)).toBe(true);
  });
});

describe('the allow-list', () => {
  it('opens exactly its networks, also to IPv4 addresses written as IPv6', () => {
    const allows = addressGuard(['10.1.0.0/16', '127.0.0.1/32', 'fd00:1::/32']);
    fc.assert(
      fc.property(within(number4('10.1.0.0'), 16, 32), (number) => {
        expect(ipv4Spellings(number).filter((text) => !allows(text))).toEqual([]);
      }),
    );
    expect(
      ['127.0.0.1', '::ffff:7f00:1', 'fd00:1::1', 'FD00:1:ffff::%lo', '8.8.8.8'].filter(allows),
    ).toHaveLength(5);
    expect(
      ['10.0.255.255', '10.2.0.0', '127.0.0.2', '::ffff:7f00:2', '::1', 'fd00:2::1', '::7f00:1'].filter(
        allows,
      ),
    ).toEqual([]);
  });

  it('opens no IPv4 address by an IPv6 network', () => {
    const allows = addressGuard(['::/1']);
    expect(allows('::1')).toBe(true);
    expect(['127.0.0.1', '::ffff:127.0.0.1', '10.0.0.1'].filter(allows)).toEqual([]);
  });
});

/** IPv4 networks that are not the public Internet (IANA's special-purpose registry, multicast, reserved). */
export const specialIPv4: readonly string[] = [
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
  '168.63.129.16/32', // looks public, but is Azure's own service inside each of its machines
];

/** The only IPv6 network that is public at all. */
export const globalIPv6: readonly string[] = ['2000::/3'];

/** What is not public within it. */
export const specialIPv6: readonly string[] = [
  '2001::/23', // protocol assignments, Teredo, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: an IPv4 address stands within
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // 6bone
  '3fff::/20', // documentation
];

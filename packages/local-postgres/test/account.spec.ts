import { unprivileged } from '../process.js';

const nobody = 'nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin';
const postgres = 'postgres:x:101:104:PostgreSQL administrator,,,:/var/lib/postgresql:/bin/bash';

describe('the account that PostgreSQL gets from root', () => {
  it('is postgres where the machine has it', () => {
    expect(unprivileged(`root:x:0:0:root:/root:/bin/bash\n${nobody}\n${postgres}\n`)).toEqual({
      uid: 101,
      gid: 104,
    });
  });

  it('is nobody elsewhere', () => {
    expect(unprivileged(`root:x:0:0:root:/root:/bin/bash\n${nobody}\n`)).toEqual({ uid: 65534, gid: 65533 });
  });

  it('is never root under another name', () => {
    expect(() => unprivileged('postgres:x:0:0::/:/bin/sh\n')).toThrow('run as an ordinary user');
  });
});

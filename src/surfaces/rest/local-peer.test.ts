import { describe, expect, it } from 'vitest';
import { ownerIn } from './local-peer.ts';

// As Linux prints them, on a machine with the bytes of numbers in the order of x86 and ARM.
const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const V4 = `${HEAD}   0: 0100007F:2221 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 11111 1
   1: 0100007F:C350 0100007F:2221 01 00000000:00000000 00:00000000 00000000  1000        0 22222 1
   2: 0100007F:2221 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1001        0 33333 1
   3: 0100007F:C351 0100007F:2221 06 00000000:00000000 03:00001732 00000000     0        0 0 3
`;
const V6 = `${HEAD}   0: 00000000000000000000000001000000:C352 00000000000000000000000001000000:2221 01 0:0 0:0 0 1002 0 44444 1
   1: 0000000000000000FFFF00000100007F:C353 0000000000000000FFFF00000100007F:2221 01 0:0 0:0 0 1003 0 55555 1
   2: 000080FE000000000000000001000000:C354 000080FE000000000000000001000000:2221 01 0:0 0:0 0 1004 0 66666 1
`;

describe('the owner of a connection', () => {
  it('is who has the end of it that was asked for', () => {
    expect(ownerIn(V4, '127.0.0.1:50000 127.0.0.1:8737')).toBe(1000);
    expect(ownerIn(V4, '127.0.0.1:8737 127.0.0.1:50000')).toBe(1001);
    expect(ownerIn(V6, '::1:50002 ::1:8737')).toBe(1002);
    expect(ownerIn(V6, '127.0.0.1:50003 127.0.0.1:8737')).toBe(1003);
  });

  it('is nobody where it is not there, is ending, or has another address', () => {
    expect(ownerIn(V4, '127.0.0.1:50009 127.0.0.1:8737')).toBeNull();
    expect(ownerIn(V4, '127.0.0.1:50001 127.0.0.1:8737')).toBeNull();
    expect(ownerIn(V6, '::1:50004 ::1:8737')).toBeNull();
    expect(ownerIn('', '127.0.0.1:50000 127.0.0.1:8737')).toBeNull();
  });
});

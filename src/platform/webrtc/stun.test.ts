import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import fc from '../../../tests/harness/fast-check.ts'
import { isAuthentic, readCheck, successOf } from './stun.ts'

const attribute = (type: number, value: Buffer): Buffer => {
  const header = Buffer.alloc(4)
  header.writeUInt16BE(type, 0)
  header.writeUInt16BE(value.length, 2)
  return Buffer.concat([header, value, Buffer.alloc((4 - (value.length % 4)) % 4)])
}

/** A check as a browser writes it, made from RFC 8489 and not by the code under test. */
function check(password: string, attributes: Buffer[], behind: Buffer[] = []): Buffer {
  const header = Buffer.from('0001000021 12a442'.replace(' ', ''), 'hex')
  const head = Buffer.concat([header, Buffer.alloc(12, 7), ...attributes])
  head.writeUInt16BE(head.length + 24 - 20, 2)
  const integrity = attribute(8, createHmac('sha1', password).update(head).digest())
  const whole = Buffer.concat([head, integrity, ...behind])
  whole.writeUInt16BE(whole.length - 20, 2)
  return whole
}
const username = attribute(6, Buffer.from('ours:theirs'))
const nomination = attribute(0x25, Buffer.alloc(0))

test('a check is read, and believed with the right password alone', () => {
  const bytes = check('secret', [username, nomination])
  expect(readCheck(bytes)).toMatchObject({ username: 'ours:theirs', nominates: true })
  expect(isAuthentic(bytes, 'secret')).toBe(true)
  expect(isAuthentic(bytes, 'other')).toBe(false)
})

test('no bit of a check can be changed', () => {
  const bytes = check('secret', [username, nomination])
  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    const changed = Buffer.from(bytes)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    expect(isAuthentic(changed, 'secret') && readCheck(changed) !== undefined, String(bit)).toBe(false)
  }
})

test('what stands behind the integrity is not read', () => {
  const bytes = check('secret', [username], [nomination])
  expect(readCheck(bytes)).toMatchObject({ nominates: false })
  expect(readCheck(check('secret', [], [username]))).toBeUndefined()
})

test('a check of any bytes is read or refused', () => {
  const anything = fc.uint8Array({ maxLength: 300 })
  const almost = anything.map((bytes) => {
    const whole = Buffer.concat([check('', []).subarray(0, 20), bytes.subarray(0, bytes.length & ~3)])
    whole.writeUInt16BE(whole.length - 20, 2)
    return whole
  })
  fc.assert(
    fc.property(fc.oneof(anything.map(Buffer.from), almost), (bytes) => {
      readCheck(Buffer.from(bytes))
      expect(isAuthentic(Buffer.from(bytes), 'secret')).toBe(false)
    }),
  )
})

test.each([
  ['192.0.2.1', 32_853, '0020000800 01a147e112a643'],
  ['2001:db8:1234:5678:11:2233:4455:6677', 32_853, '002000140002a1470113a9faa5d3f179bc25f4b5bed2b9d9'],
])('the address %s is told as RFC 5769 does', (address, port, expected) => {
  const transactionId = Buffer.from('b7e7a701bc34d686fa87dfae', 'hex')
  const answer = successOf({ username: '', transactionId, nominates: false }, { address, port }, 'secret')
  const mapped = Buffer.from(expected.replace(' ', ''), 'hex')
  expect(answer.subarray(20, 20 + mapped.length).toString('hex')).toBe(mapped.toString('hex'))
  expect(answer.readUInt16BE(0)).toBe(0x0101)
  // The answer's integrity and fingerprint are computed like those of any message.
  const asRequest = Buffer.from(answer)
  asRequest.writeUInt16BE(0x0101, 0)
  const signed = Buffer.from(answer.subarray(0, -32))
  signed.writeUInt16BE(signed.length + 4, 2)
  expect(answer.subarray(-28, -8)).toEqual(createHmac('sha1', 'secret').update(signed).digest())
})

test.each(['::1', '::', 'fe80::1%eth0', '::ffff:192.0.2.1', '2001:db8::'])(
  '%s has sixteen bytes',
  (address) => {
    const transactionId = Buffer.alloc(12)
    const answer = successOf({ username: '', transactionId, nominates: false }, { address, port: 1 }, '')
    expect(answer.readUInt16BE(22)).toBe(20)
  },
)

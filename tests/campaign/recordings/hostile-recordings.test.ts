/** Files made to exhaust whoever reads them: each is sound or a typed error, holds the event loop for no time, and the next one is read. */
import { beforeAll, describe, expect, test } from 'vitest'
import { encodeWhole } from '#core/sound'
import { unpackBytes } from '../../../src/core/sound/container/unpack.ts'
import { outcome, speechLike } from '../../core/sound/samples.ts'
import { expectNoHold } from '../../cost/cost.ts'
import { recordingsRoom, requester } from './room.ts'

const recordings = await recordingsRoom()
const verdictOf = (bytes: Uint8Array) => outcome(recordings.decode(bytes, requester, { maxSeconds: 900 }))

const megabytes = 13

const element = (id: string, content: Uint8Array, size = content.length): Buffer => {
  const head = Buffer.from(`${id}0800000000000000`.slice(0, id.length + 16), 'hex')
  head[id.length / 2] = 0x01
  head.writeUIntBE(size, head.length - 6, 6)
  return Buffer.concat([head, content])
}
const unknownSize = (id: string, content: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${id}01ffffffffffffff`, 'hex'), content])
const number = (value: number): Buffer => Buffer.from([value >> 8, value & 255])
const opusHead = Buffer.from('4f707573486561640101380180bb0000000000', 'hex')
const ebmlHead = element('1a45dfa3', element('4282', Buffer.from('webm')))
const track = element('1654ae6b', element('ae', Buffer.concat([
  element('d7', Buffer.from([1])), element('73c5', Buffer.from([1])), element('83', Buffer.from([2])), element('86', Buffer.from('A_OPUS')),
  element('63a2', opusHead), element('e1', Buffer.concat([element('b5', Buffer.from('40e7700000000000', 'hex')), element('9f', Buffer.from([1]))])),
]))) // biome-ignore format: a tree
const info = element('1549a966', element('2ad7b1', Buffer.from([0x0f, 0x42, 0x40])))
/** 20 ms of silence. */
const packet = Buffer.from([0xf8, 0xff, 0xfe])
const block = (at: number): Buffer =>
  element('a3', Buffer.concat([Buffer.from([0x81]), number(at), Buffer.from([0x80]), packet]))
const blocks = Buffer.concat(Array.from({ length: 50 }, (_, index) => block(20 * index)))
const cluster = (content: Uint8Array): Buffer =>
  element('1f43b675', Buffer.concat([element('e7', number(0)), content]))
const webm = (...content: Buffer[]): Buffer =>
  Buffer.concat([ebmlHead, element('18538067', Buffer.concat([info, track, ...content]))])
const recorded = Buffer.concat([
  ebmlHead,
  unknownSize('18538067', Buffer.concat([info, track, unknownSize('1f43b675', Buffer.concat([element('e7', number(0)), blocks]))])),
]) // biome-ignore format: a tree

const box = (name: string, ...content: Uint8Array[]): Buffer => {
  const bytes = Buffer.concat([Buffer.alloc(8), ...content])
  bytes.writeUInt32BE(bytes.length)
  bytes.write(name, 4, 'latin1')
  return bytes
}
const words = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index)
  return bytes
}
const fileType = box('ftyp', Buffer.from('isom'), words(512), Buffer.from('isommp42'))
const opusEntry = box(
  'Opus',
  Buffer.alloc(6),
  number(1),
  Buffer.alloc(8),
  number(1),
  number(16),
  Buffer.alloc(4),
  words(48_000 * 65_536),
  box('dOps', Buffer.from('000101380000bb80000000', 'hex')),
)
interface Table {
  samples: number
  size: number
  /** Samples of a chunk. */
  each?: number
  offsets: number[]
}
const matrix = words(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
const index = ({ samples, size, each = samples, offsets }: Table): Buffer =>
  box(
    'moov',
    box('mvhd', words(0, 0, 0, 1_000, 0, 0x10000, 0x1000000, 0, 0), matrix, Buffer.alloc(24), words(2)),
    box(
      'trak',
      box('tkhd', words(7, 0, 0, 1, 0, 0, 0, 0, 0, 0x1000000), matrix, words(0, 0)),
      box(
        'mdia',
        box('mdhd', words(0, 0, 0, 48_000, 0, 0x55c40000)),
        box('hdlr', words(0, 0), Buffer.from('soun'), words(0, 0, 0), Buffer.from([0])),
        box(
          'minf',
          box(
            'stbl',
            box('stsd', words(0, 1), opusEntry),
            box('stts', words(0, 1, samples, 960)),
            box('stsc', words(0, 1, 1, each, 1)),
            box('stsz', words(0, size, samples)),
            box(
              'stco',
              words(0, offsets.length),
              words(offsets[0]!, ...offsets.slice(1, 50)),
              Buffer.alloc(4 * Math.max(0, offsets.length - 50)),
            ),
          ),
        ),
      ),
    ),
  )
// biome-ignore format: a tree
const mp4 = (): Buffer => {
  const data = box('mdat', Buffer.concat(Array<Buffer>(50).fill(packet)))
  return Buffer.concat([fileType, data, index({ samples: 50, size: 3, offsets: [fileType.length + 8] })])
}

beforeAll(async () => {
  // The first use of a decoder compiles its module.
  await verdictOf((await encodeWhole([speechLike(24_000, 0.1)], { format: 'opus', maxBytes: 1e6 })).bytes)
})

test('what the hostile ones are made of is sound', async () => {
  expect(await verdictOf(webm(cluster(blocks)))).toBe(48_000 - 312)
  expect(await verdictOf(recorded)).toBe(48_000 - 312)
  expect(await verdictOf(mp4())).toBe(48_000 - 312)
})

test('a WebM that is cut is heard up to its last whole packet, an MP4 whose index is not there is not heard at all', async () => {
  for (const bytes of [webm(cluster(blocks)), recorded]) {
    const ends = (count: number): number => bytes.indexOf(blocks) + count * block(0).length
    for (let packets = 0; packets < 50; packets++)
      for (const length of [ends(packets), ends(packets + 1) - 1]) {
        const unpacked = await unpackBytes(bytes.subarray(0, length), 'matroska').catch((error) => error)
        if (packets === 0) expect(['truncated', 'empty']).toContain(unpacked.fault)
        else expect(unpacked.packets.toString('hex').split('f8fffe')).toHaveLength(packets + 1)
        // A file that was recorded without a length and ends between two packets cannot be told from a whole one.
        const isOpen = bytes === recorded && length === ends(packets)
        expect([packets === 0, unpacked.isTruncated], `${packets}`).toContain(packets === 0 || !isOpen)
      }
  }
  for (let part = 1; part < 50; part++) {
    const cut = mp4().subarray(0, Math.floor((mp4().length * part) / 50))
    await expect(unpackBytes(cut, 'mp4'), `${part}`).rejects.toMatchObject({ fault: 'truncated' })
  }
})

test('bytes that fell over end in sound or in an error', async () => {
  let seed = 7
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }
  for (const original of [webm(cluster(blocks)), recorded, mp4()]) {
    const verdicts = Array.from({ length: 8 }, (_, turn) => {
      const bytes = Buffer.from(original)
      for (let count = 0; count <= turn % 4; count++) bytes[random(bytes.length)] = random(256)
      return verdictOf(bytes)
    })
    for (const verdict of await Promise.all(verdicts)) expect(['string', 'number']).toContain(typeof verdict)
  }
  expect(await verdictOf(mp4())).toBe(48_000 - 312)
}, 180_000)

const nested = (levels: number): Buffer => {
  const bytes = Buffer.alloc(8 * levels)
  for (let level = 0; level < levels; level++) {
    bytes.writeUInt32BE(8 * (levels - level), 8 * level)
    bytes.write('moov', 8 * level + 4)
  }
  return bytes
}

describe('hostile files end in their process', () => {
  const bulk = (megabyte: number): Buffer => Buffer.alloc(megabyte << 20)
  const cases: [string, () => Buffer, (string | number)[]][] = [
    ['a WebM that declares a terabyte', () => Buffer.concat([ebmlHead, element('18538067', Buffer.concat([info, track, blocks]), 2 ** 40)]), ['truncated']],
    ['a cluster that declares a terabyte', () => webm(element('1f43b675', blocks, 2 ** 40)), [48_000 - 312]],
    ['a WebM of a million empty elements', () => webm(Buffer.from('ec80'.repeat(1_000_000), 'hex'), cluster(blocks)), [48_000 - 312]],
    ['a WebM of a million empty elements in a cluster', () => webm(cluster(Buffer.concat([Buffer.from('ec80'.repeat(1_000_000), 'hex'), blocks]))), [48_000 - 312]],
    ['a WebM of a million empty tracks', () => webm(element('1654ae6b', Buffer.from('ae80'.repeat(1_000_000), 'hex'))), ['empty', 'malformed']],
    ['a million clusters in each other', () => webm(Buffer.concat(Array<Buffer>(1_000_000).fill(Buffer.from('1f43b67501ffffffffffffff', 'hex')))), ['empty', 'malformed']],
    ['a WebM of 13 MB of nothing known', () => webm(bulk(megabytes)), ['truncated']],
    // Seconds of reading for each million; they sound for four hours, of which a quarter is allowed.
    ['a quarter of a million packets of a byte', () => webm(cluster(Buffer.from('a3858100008018'.repeat(250_000), 'hex'))), ['too_long', 'malformed']],
    ['an MP4 of a million empty boxes', () => Buffer.concat([fileType, Buffer.from('0000000866726565'.repeat(1_000_000), 'hex'), mp4().subarray(fileType.length)]), ['malformed', 'empty', 38_568, 48_000 - 312]],
    ['a box that declares an exabyte', () => Buffer.concat([fileType, Buffer.from('000000016d6f6f760fffffffffffffff', 'hex'), bulk(1)]), ['truncated']],
    ['a million boxes in each other', () => Buffer.concat([fileType, nested(1_000_000)]), ['malformed', 'no_track']],
    ['four billion samples of no byte', () => Buffer.concat([fileType, index({ samples: 0xffff_ffff, size: 0, offsets: [8] })]), ['malformed', 'empty', 'too_long']],
    ['a million samples that are the same megabytes', () => Buffer.concat([fileType, box('mdat', bulk(10)), index({ samples: 1_000_000, size: 10 << 20, each: 1, offsets: Array<number>(500_000).fill(40) })]), ['malformed', 'truncated']],
    ['a sample of 4 GB', () => Buffer.concat([mp4().subarray(0, fileType.length + 158), index({ samples: 50, size: 0xffff_ffff, offsets: [40] })]), ['empty', 'malformed', 'truncated']],
    ['a picture in boxes', () => Buffer.concat([box('ftyp', Buffer.from('avif')), box('meta', words(0))]), ['no_track', 'malformed']],
  ] // biome-ignore format: a table
  for (const [name, make, expected] of cases)
    test(name, async () => {
      const bytes = make()
      let verdict: number | string | undefined
      await expectNoHold(name, async () => {
        verdict = await verdictOf(bytes)
      })
      expect(expected).toContain(verdict)
      expect(await verdictOf(mp4())).toBe(48_000 - 312)
    })

  test('whoever leaves takes the process along', async () => {
    const leaving = new AbortController()
    const reading = outcome(
      recordings.decode(webm(cluster(blocks)), { accountId: 'a', signal: leaving.signal }),
    )
    leaving.abort(new Error('gone'))
    await expect(reading).rejects.toThrow('gone')
  })
})

/** Files made to cheat or exhaust whoever opens recordings: each is measured for what it is or refused, and the next one is read. */
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { encodeWhole, type RecordingSource, SoundError, type SoundFormat } from '#core/sound'
import { BitWriter } from '../../../src/core/sound/bits.ts'
import { checksumOf } from '../../../src/core/sound/checksum.ts'
import { OggWriter } from '../../../src/core/sound/ogg.ts'
import { ffmpeg, hasFfmpeg } from '../../core/sound/ffmpeg.ts'
import { speechLike, whole } from '../../core/sound/samples.ts'
import { expectNoHold } from '../../cost/cost.ts'
import { collectGarbage } from '../../harness/collect-garbage.ts'
import { recordingsRoom, requester } from './room.ts'

const recordings = await recordingsRoom()

/** Seconds, or the fault with which it is refused; `decodes` too. */
async function verdictOf(
  source: RecordingSource,
  { maxSeconds = 600, decodes = false } = {},
): Promise<number | string> {
  try {
    await using recording = await recordings.open(source, requester, { maxSeconds })
    if (decodes) await whole(recording.sound())
    return Math.round(recording.measured.seconds * 1e6) / 1e6
  } catch (error) {
    if (error instanceof SoundError) return error.fault
    throw error
  }
}

const formats = ['wav', 'mp3', 'flac', 'opus', 'aac'] as const
const files = {} as Record<SoundFormat, Uint8Array>
beforeAll(async () => {
  for (const format of formats)
    files[format] = (await encodeWhole([speechLike(24_000, 0.5)], { format, maxBytes: 1 << 24 })).bytes
})

describe('files that were cut', () => {
  test.each(formats)('%s cut at every byte is heard up to its last whole frame, and refused only before its first', async (format) => {
    const bytes = files[format]
    const all = (await verdictOf(bytes)) as number
    let heard = 0
    for (let length = 0; length < bytes.length; length += format === 'flac' ? 61 : 1) {
      const verdict = await verdictOf(bytes.subarray(0, length))
      if (typeof verdict === 'string') expect([heard, ['empty', 'unrecognised', 'truncated', 'malformed']], verdict).toEqual([0, expect.arrayContaining([verdict])])
      else expect([verdict >= heard, verdict <= all], `${length}`).toEqual([true, true])
      if (typeof verdict === 'number') heard = verdict
    }
    expect(all - heard).toBeLessThan(0.2)
  })

  test.skipIf(!hasFfmpeg)('Vorbis that is cut anywhere behind its setup is heard up to there', async () => {
    const bytes = ffmpeg(['-v', 'error', '-f', 'lavfi', '-i', 'sine=duration=1', '-c:a', 'libvorbis', '-f', 'ogg', 'pipe:1']).output
    let heard = 0
    for (let part = 0; part < 12; part++) {
      const verdict = await verdictOf(bytes.subarray(0, Math.floor((bytes.length * part) / 12)))
      if (typeof verdict === 'number') heard = Math.max(heard, verdict)
      expect(typeof verdict === 'number' ? verdict >= heard : heard === 0, `${part}`).toBe(true)
    }
    expect(heard).toBeGreaterThan(0.7)
    expect(heard).toBeLessThan(1)
    expect(await verdictOf(bytes)).toBe(1)
  })
}) // biome-ignore format: a table

/** A frame of FLAC that is nothing but its head and one value: 4,096 samples in some bytes. */
function flacFrame(number: number, rateBits: number): Buffer {
  const bits = new BitWriter()
  bits.put(0b111_1111_1111_1100, 15)
  bits.put(0, 1)
  bits.put(12, 4) // 4,096 samples
  bits.put(rateBits, 4)
  bits.put(0, 4)
  bits.put(0, 3)
  bits.put(0, 1)
  bits.put(0xe0 | (number >> 12), 8)
  bits.put(0x80 | ((number >> 6) & 63), 8)
  bits.put(0x80 | (number & 63), 8)
  bits.put(checksumOf(bits.bytes(), 8), 8)
  bits.put(0, 8) // constant
  bits.put(0, 16)
  const bytes = bits.bytes()
  const sum = Buffer.alloc(2)
  sum.writeUInt16BE(checksumOf(bytes, 16))
  return Buffer.concat([bytes, sum])
}

/** @param declared samples in its head; 0: it does not say */
function flacOf(frames: number, declared: number, { rate = 8_000, channels = 1 } = {}): Buffer {
  const info = Buffer.alloc(42)
  info.write('fLaC')
  info[4] = 0x80
  info[7] = 34
  info.writeUInt16BE(4_096, 8)
  info.writeUInt16BE(4_096, 10)
  info.writeUIntBE((rate << 4) | ((channels - 1) << 1), 18, 3)
  info[21] = 0xf0
  info.writeUInt32BE(declared, 22)
  return Buffer.concat([info, ...Array.from({ length: frames }, (_, index) => flacFrame(index, 0))])
}

const opusHead = (channels: number, preSkip = 0, family = 0): Buffer => {
  const head = Buffer.from('4f707573486561640101000080bb0000000000', 'hex')
  head[9] = channels
  head.writeUInt16LE(preSkip, 10)
  head[18] = family
  return head
}
/** @param clock of the last page, in samples */
function opusOf(packets: readonly Uint8Array[], clock: bigint, head = opusHead(1)): Buffer {
  const writer = new OggWriter(7, 50)
  return Buffer.concat([
    writer.header(head),
    writer.header(Buffer.from('OpusTags\0\0\0\0\0\0\0\0')),
    ...packets.map((packet) => writer.packet(packet, 0n)),
    writer.end(clock),
  ])
}
/** 120 ms in four bytes, and what is coded badly. */
const longest = Buffer.of(0x03 | (31 << 3), 6, 0xff, 0xfe)
const times = (count: number, packet: Uint8Array): Uint8Array[] => Array<Uint8Array>(count).fill(packet)

describe('claims and bombs', () => {
  const hour = 3_600
  const cases: [string, () => Buffer, (string | number)[]][] = [
    ['a WAV that claims hours in 44 bytes', () => { const wav = Buffer.from(files.wav.subarray(0, 44)); wav.writeUInt32LE(0x7ffe_0000, 40); return wav }, ['truncated']],
    ['a WAV of a rate and channels that nobody records', () => { const wav = Buffer.from(files.wav); wav.writeUInt16LE(60_000, 22); return wav }, ['unsupported']],
    ['a WAV that hides a second chunk of samples', () => Buffer.concat([files.wav, Buffer.from('LIST\x02\0\0\0ab', 'latin1'), files.wav.subarray(36)]), [0.5]],
    ['a WAV with texts behind its samples', () => Buffer.concat([files.wav, Buffer.from('LIST\x03\0\0\0abc\0id3 \xff\0\0\0', 'latin1')]), [0.5]],
    ['hours of FLAC in kilobytes', () => flacOf(40_000, 0), ['too_long']],
    ['hours of FLAC that says it is a second', () => flacOf(2_000, 8_000), [1.024]],
    ['FLAC that hides frames behind a tag', () => Buffer.concat([flacOf(2, 8_000), Buffer.alloc(128, 'TAG'), flacFrame(2, 0)]), [1.024]],
    ['FLAC with a tag behind it', () => Buffer.concat([flacOf(2, 8_000), Buffer.alloc(128, 'TAG')]), [1.024]],
    ['a FLAC that says it is longer than it is', () => flacOf(2, 80_000_000), [1.024]],
    ['a FLAC of no known rate', () => flacOf(2, 0, { rate: 0 }), ['unsupported']],
    ['hours of Opus in kilobytes', () => opusOf(times(hour / 0.12 + 1, longest), 1n << 40n), ['too_long']],
    ['Opus whose clock says less than its packets', () => opusOf(times(100, longest), 48_000n), [11.88]],
    ['Opus that skips more than there is', () => opusOf(times(1, longest), 48_000n, opusHead(1, 65_535)), ['empty']],
    ['Opus of 200 channels', () => opusOf(times(2, longest), 48_000n, opusHead(200, 0, 255)), ['unsupported']],
    ['an Opus packet of more than 120 ms', () => opusOf([Buffer.of(0x03 | (31 << 3), 63, 1, 2)], 48_000n), ['malformed']],
    ['a tag of 256 MB before nothing', () => Buffer.concat([Buffer.from('4944330400007f7f7f7f', 'hex'), Buffer.alloc(100)]), ['truncated', 'empty', 'unrecognised']],
    ['ten thousand tags', () => Buffer.concat([...times(10_000, Buffer.from(`4944330400000000000a${'00'.repeat(10)}`, 'hex')), files.mp3]), ['unrecognised']],
    ['MP3 that changes its rate', () => Buffer.concat([files.mp3, ...times(4, Buffer.concat([Buffer.of(0xff, 0xfb, 0x90, 0xc4), Buffer.alloc(413)]))]), [0.5]],
    ['AAC whose frames claim eight kilobytes each', () => Buffer.concat(times(1_000, Buffer.of(0xff, 0xf1, 0x50, 0x83, 0xff, 0xff, 0xfc))), ['truncated']],
    ['rubbish behind AAC', () => Buffer.concat([files.aac, Buffer.alloc(1_000_000)]), [0.554667]],
    ['a list of addresses that ffmpeg would open', () => Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\nhttp://127.0.0.1/'), ['unrecognised']],
    ['a script for ffmpeg', () => Buffer.from("ffconcat version 1.0\nfile '/etc/passwd'\n"), ['unrecognised']],
    ['rubbish', () => Buffer.alloc(13 << 20, 'nothing'), ['unrecognised']],
    ['nothing', () => Buffer.alloc(0), ['empty']],
  ] // biome-ignore format: a table
  test.each(cases)('%s', async (name, make, expected) => {
    const bytes = make()
    expect(expected).toContain(await verdictOf(bytes))
    await expectNoHold(name, () => verdictOf(bytes))
  })

  test('a file is read as what its bytes are, whatever another says: a WAV within an MP4’s name, an MP4 within a WAV’s', async () => {
    const disguised = Buffer.concat([files.wav.subarray(0, 12), files.mp3])
    expect(await verdictOf(disguised)).not.toBe(0.5)
    expect(await verdictOf(Buffer.concat([Buffer.from('OggS'), files.flac]))).toBe('malformed')
  })
})

/** Numbers below a bound, the same for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe.skipIf(!hasFfmpeg)('codecs that are read in processes of their own', () => {
  /** The packets of an Ogg file of one stream. */
  function packetsOf(bytes: Buffer): Buffer[] {
    const packets: Buffer[] = []
    const open: Buffer[] = []
    for (let at = 0; at < bytes.length; ) {
      const count = bytes[at + 26]!
      let from = at + 27 + count
      for (const size of bytes.subarray(at + 27, at + 27 + count)) {
        open.push(bytes.subarray(from, from + size))
        from += size
        if (size < 255) packets.push(Buffer.concat(open.splice(0)))
      }
      at = from
    }
    return packets
  }
  const oggOf = (packets: readonly Uint8Array[]): Buffer => {
    const writer = new OggWriter(1, 20)
    const [head, comments, setup, ...sound] = packets
    return Buffer.concat([
      ...[head!, comments!, setup!].map((packet) => writer.header(packet)),
      ...sound.map((packet) => writer.packet(packet, 0n)),
      writer.end(44_100n),
    ])
  }

  test('Vorbis whose setup or packets fell over, checksums made good, is sound or a typed error', async () => {
    const bytes = ffmpeg([
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      'sine=duration=1',
      '-c:a',
      'libvorbis',
      '-f',
      'ogg',
      'pipe:1',
    ])
    const packets = packetsOf(bytes.output)
    expect(await verdictOf(oggOf(packets))).toBe(1)
    const random = randomOf(11)
    const broken = Array.from({ length: 12 }, (_, turn) => {
      const changed = packets.map((packet) => Buffer.from(packet))
      const packet = changed[turn < 8 ? 2 : 3 + random(packets.length - 3)]!
      for (let count = 0; count <= turn % 3; count++) packet[7 + random(packet.length - 7)] = random(256)
      return verdictOf(oggOf(changed))
    })
    for (const verdict of await Promise.all(broken))
      if (typeof verdict === 'string')
        expect(['malformed', 'truncated', 'empty', 'unsupported', 'too_long']).toContain(verdict)
      else expect(verdict).toBeLessThan(3)
    const channels = Buffer.from(packets[0]!)
    channels[11] = 255
    expect(await verdictOf(oggOf([channels, ...packets.slice(1)]))).toBe('unsupported')
    expect(await verdictOf(oggOf(packets))).toBe(1)
  }, 180_000)

  test('AAC whose packets fell over is sound of its length, or malformed', async () => {
    const random = randomOf(5)
    const all = (await verdictOf(files.aac, { decodes: true })) as number
    expect(all).toBeGreaterThan(0.4)
    const broken = Array.from({ length: 6 }, () => {
      const bytes = Buffer.from(files.aac)
      // Heads of frames stay: those are ours to read.
      let at = 0
      while (at < bytes.length) {
        const length = ((bytes[at + 3]! & 3) << 11) | (bytes[at + 4]! << 3) | (bytes[at + 5]! >> 5)
        if (random(3) === 0) bytes[at + 7 + random(length - 7)] = random(256)
        at += length
      }
      return verdictOf(bytes, { decodes: true })
    })
    for (const verdict of await Promise.all(broken)) expect([all, 'malformed']).toContain(verdict)
  }, 180_000)
})

test('a disk without room is an answer of its own, and what was closed has left none of it taken', async () => {
  const small = await recordingsRoom({ places: [] }, 1 << 20)
  const long = (
    await encodeWhole([speechLike(16_000, 130)], { format: 'mp3', kilobits: 16, maxBytes: 1 << 20 })
  ).bytes
  {
    await using recording = await small.open(long, requester, { maxSeconds: 600 })
    expect(recording.measured.seconds).toBeCloseTo(130, 0)
    await expect(whole(recording.sound())).rejects.toMatchObject({ code: 'SPOOL_FULL' })
  }
  const fits = (await encodeWhole([speechLike(16_000, 1)], { format: 'flac', maxBytes: 1 << 20 })).bytes
  for (let again = 0; again < 3; again++) {
    await using recording = await small.open(fits, requester, { maxSeconds: 600 })
    expect((await whole(recording.sound())).samples.length).toBe(16_000)
  }
})

/** What is held outside of the heap: what waits for the collector does not count. */
function heldMb(): number {
  // The second waits for what the first has freed.
  collectGarbage()
  collectGarbage()
  const { arrayBuffers, external } = process.memoryUsage()
  return (arrayBuffers + external) / 2 ** 20
}

test('ten thousand tiny recordings, one after another, leave no memory behind', async () => {
  const tiny = {} as Record<SoundFormat, Uint8Array>
  for (const format of formats)
    tiny[format] = (await encodeWhole([speechLike(16_000, 0.05)], { format, maxBytes: 1 << 20 })).bytes
  const some = async (count: number) => {
    for (let index = 0; index < count; index++) {
      const format = (['wav', 'mp3', 'flac', 'opus'] as const)[index % 4]!
      expect(typeof (await verdictOf(tiny[format], { decodes: true }))).toBe('number')
    }
  }
  await some(400)
  // Nothing else of this file holds sound, and memory of WebAssembly is given back when its owner is collected, in a turn of its own.
  let before = heldMb()
  await vi.waitUntil(() => { const last = before; before = heldMb(); return before >= last }, 20_000)
  await some(10_000)
  await expect.poll(() => heldMb() - before, { timeout: 60_000, interval: 200 }).toBeLessThan(64)
}, 900_000) // biome-ignore format: one condition

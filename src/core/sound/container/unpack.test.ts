import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  MovOutputFormat,
  Mp4OutputFormat,
  Output,
  type OutputFormat,
  WebMOutputFormat,
} from 'mediabunny'
import { describe, expect, test } from 'vitest'
import { type Container, unpackBytes } from './unpack.ts'

/** 20 ms of silence in Opus. */
const packet = Uint8Array.of(0xf8, 0xff, 0xfe)
const packetSeconds = 0.02
const count = 50

/** A second of Opus in a container. */
async function made(format: OutputFormat): Promise<Buffer> {
  const target = new BufferTarget()
  const output = new Output({ format, target })
  const source = new EncodedAudioPacketSource('opus')
  output.addAudioTrack(source)
  await output.start()
  const description = Buffer.from('4f707573486561640101000080bb0000000000', 'hex')
  const decoderConfig = { codec: 'opus', numberOfChannels: 1, sampleRate: 48_000, description }
  for (let index = 0; index < count; index++)
    await source.add(new EncodedPacket(packet, 'key', index * packetSeconds, packetSeconds), {
      decoderConfig,
    })
  await output.finalize()
  return Buffer.from(target.buffer!)
}

describe('a container that breaks off', () => {
  const kinds: [string, Container, OutputFormat][] = [
    ['a WebM of known sizes', 'matroska', new WebMOutputFormat({ minimumClusterDuration: 0.2 })],
    ['a WebM as it is recorded', 'matroska', new WebMOutputFormat({ appendOnly: true, minimumClusterDuration: 0.2 })],
    ['an MP4 in fragments', 'mp4', new Mp4OutputFormat({ fastStart: 'fragmented', minimumFragmentDuration: 0.2 })],
    ['an MP4 behind its index', 'mp4', new Mp4OutputFormat({ fastStart: 'in-memory' })],
  ] // biome-ignore format: a table

  test.each(kinds)(
    '%s gives its whole packets, more the later it breaks off',
    async (_, container, format) => {
      const bytes = await made(format)
      const whole = await unpackBytes(bytes, container)
      expect(whole).toMatchObject({ codec: 'opus', isTruncated: false })
      let packets = 0
      for (let length = 40; length < bytes.length; length += 7) {
        const unpacked = await unpackBytes(bytes.subarray(0, length), container).catch((error) => error)
        if ('fault' in unpacked) {
          expect(['truncated', 'empty'], `${length}`).toContain(unpacked.fault)
          expect(packets).toBe(0)
          continue
        }
        const found = unpacked.packets.toString('hex').split('f8fffe').length - 1
        expect(found, `${length}`).toBeGreaterThanOrEqual(packets)
        expect(found).toBeLessThanOrEqual(count)
        packets = found
      }
      expect(packets).toBeGreaterThan(count / 2)
    },
  )

  test('a MOV of PCM, whose chunks are long, gives every sample that is there', async () => {
    const target = new BufferTarget()
    const output = new Output({ format: new MovOutputFormat({ fastStart: 'in-memory' }), target })
    const source = new EncodedAudioPacketSource('pcm-s16')
    output.addAudioTrack(source)
    await output.start()
    const decoderConfig = { codec: 'pcm-s16', numberOfChannels: 2, sampleRate: 8_000 }
    const seconds = Buffer.alloc(4 * 8_000, 'abcd')
    for (let at = 0; at < 3; at++)
      await source.add(new EncodedPacket(seconds, 'key', at, 1), { decoderConfig })
    await output.finalize()
    const bytes = Buffer.from(target.buffer!)
    const begin = bytes.length - 3 * seconds.length
    for (const there of [4, 4_003, 31_999, 32_000, 77_777]) {
      const unpacked = await unpackBytes(bytes.subarray(0, begin + there), 'mp4')
      if ('unknown' in unpacked) throw new Error('no PCM')
      const samples = unpacked.packets.subarray(44)
      expect(samples.toString()).toBe('abcd'.repeat(Math.floor(there / 4)))
      expect(unpacked).toMatchObject({ codec: 'pcm-s16', isTruncated: true })
      expect(unpacked.untilSeconds).toBeCloseTo(samples.length / 32_000, 4)
    }
    await expect(unpackBytes(bytes.subarray(0, begin + 3), 'mp4')).rejects.toMatchObject({
      fault: 'truncated',
    })
  })

  test('a cut is told', async () => {
    const bytes = await made(new WebMOutputFormat({ minimumClusterDuration: 0.2 }))
    const unpacked = await unpackBytes(bytes.subarray(0, Math.floor(bytes.length / 2)), 'matroska')
    expect(unpacked.isTruncated).toBe(true)
  })

  test('without a cluster there is nothing to hear, and no search without an end', async () => {
    const bytes = await made(new WebMOutputFormat())
    const cluster = bytes.indexOf(Buffer.from('1f43b675', 'hex'))
    await expect(unpackBytes(bytes.subarray(0, cluster), 'matroska')).rejects.toMatchObject({
      fault: 'truncated',
    })
  })
})

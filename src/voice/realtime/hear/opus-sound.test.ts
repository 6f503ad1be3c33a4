/** Tests with real Opus: one side encodes, the other decodes. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sine, speechLike } from '../../../../tests/core/sound/samples.ts'
import fc from '../../../../tests/harness/fast-check.ts'
import { type CallCodecs, Codecs } from '../codecs.ts'
import { OpusSound } from './opus-sound.ts'

const codecs = new Codecs(2)
let mine: CallCodecs
beforeAll(async () => {
  mine = (await codecs.take())!
})
afterAll(() => mine[Symbol.dispose]())

const frameSamples = 480

/** Encodes packets of 20 ms. */
function packetsOf(samples: Float32Array, { encoder }: CallCodecs = mine): Uint8Array[] {
  return Array.from({ length: Math.floor(samples.length / frameSamples) }, (_, index) =>
    encoder.encodeFloat(samples.subarray(index * frameSamples, (index + 1) * frameSamples)),
  )
}

/** An `OpusSound` with a decoder that has heard nothing yet. */
async function listen(heard: (sound: OpusSound) => void): Promise<OpusSound> {
  using own = (await codecs.take())!
  const sound = new OpusSound(own.decoder)
  heard(sound)
  return sound
}

const levelOf = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)

test('a tone is heard as it was spoken: a frame for each packet, at its level and pitch', async () => {
  const frames: Float32Array[] = []
  await listen((sound) => {
    for (const [index, packet] of packetsOf(sine(24_000, 440, 1).samples).entries()) {
      sound.packet(packet, index, index * 960)
      frames.push(...sound.pull())
    }
  })
  expect(frames).toHaveLength(50)
  expect(frames.every(({ length }) => length === 320)).toBe(true)
  const heard = Float32Array.from(frames.slice(10).flatMap((frame) => [...frame]))
  expect(levelOf(heard)).toBeCloseTo(0.5 / Math.SQRT2, 1)
  const crossings = heard.filter((sample, index) => index > 0 && heard[index - 1]! < 0 && sample >= 0).length
  expect(crossings / (heard.length / 16_000)).toBeCloseTo(440, -1)
})

test('nothing is heard before the first packet, and then filler for 100 ms and silence', async () => {
  await listen((sound) => {
    expect([sound.pull(), sound.pull(), sound.pull()]).toEqual([[], [], []])
    const packets = packetsOf(sine(24_000, 440, 0.2).samples)
    for (const [index, packet] of packets.entries()) sound.packet(packet, index, index * 960)
    const heard = Array.from({ length: 4 }, () => sound.pull().length)
    expect(heard).toEqual([3, 3, 3, 1])
    expect([sound.pull(), sound.pull()]).toEqual([[], []])
    const filler = Array.from({ length: 6 }, () => sound.pull())
    expect(filler.map(({ length }) => length)).toEqual([1, 1, 1, 1, 1, 1])
    const levels = filler.map(([frame]) => levelOf(frame!))
    expect(Math.min(...levels.slice(0, 3))).toBeGreaterThan(0)
    expect(levels[5]).toBe(0)
    expect(sound.counts.madeUpMs).toBe(120)
  })
})

test('of every tenth packet that is lost, those with sound are restored from the next one, and the sound keeps its length', async () => {
  const packets = packetsOf(speechLike(24_000, 10).samples)
  let frames = 0
  const sound = await listen((listening) => {
    for (const [index, packet] of packets.entries()) {
      if (index % 10 !== 5) listening.packet(packet, index, index * 960)
      frames += listening.pull().length
    }
    for (let time = 0; time < 3; time++) frames += listening.pull().length
  })
  // The last frames are those at the end, which no packet follows.
  expect(frames).toBe(packets.length + 1)
  expect(sound.counts.lost).toBe(packets.length / 10)
  // More than half of the lost sound is silence, which no packet repeats.
  expect(sound.counts.restored).toBeGreaterThan(0.3 * sound.counts.lost)
  const madeUp = 20 * (sound.counts.lost - sound.counts.restored)
  expect(sound.counts.madeUpMs - madeUp).toBe(20)
})

test('what was restored sounds like what was lost, and what was made up less so', async () => {
  const { samples } = sine(24_000, 300, 1)
  // The tone begins in the lost packet, so that no earlier packet has any of it.
  samples.fill(0, 0, 25 * frameSamples)
  const lost = 27
  const heardAt = async (keeps: (index: number) => boolean): Promise<number> => {
    using own = (await codecs.take())!
    const frames: Float32Array[] = []
    const sound = new OpusSound(own.decoder)
    for (const [index, packet] of packetsOf(samples, own).entries()) {
      if (keeps(index)) sound.packet(packet, index, index * 960)
      frames.push(...sound.pull())
    }
    return levelOf(frames[lost]!)
  }
  const whole = await heardAt(() => true)
  const restored = await heardAt((index) => index !== lost && index !== lost - 1)
  const madeUp = await heardAt((index) => index < lost - 1 || index > lost + 1)
  expect(Math.abs(restored - whole)).toBeLessThan(0.5 * Math.abs(madeUp - whole))
})

test('a silence of the sender is heard as silence, as long as it was', async () => {
  const packets = packetsOf(sine(24_000, 440, 0.2).samples)
  await listen((sound) => {
    for (const [index, packet] of packets.entries()) sound.packet(packet, index, index * 960)
    const frames = Array.from({ length: 4 }, () => sound.pull()).flat()
    expect(frames).toHaveLength(packets.length)
    sound.packet(packets[3]!, packets.length, (packets.length + 25) * 960)
    while (frames.length <= packets.length + 25) frames.push(...sound.pull())
    const levels = frames.slice(packets.length).map(levelOf)
    expect(levels.slice(5, 25)).toEqual(Array.from({ length: 20 }, () => 0))
    expect(levels[25]).toBeGreaterThan(0.01)
    expect(sound.counts.lost).toBe(0)
  })
})

test('packets of 10, 40 and 60 ms are frames of 20 ms, too', async () => {
  const { samples } = sine(24_000, 440, 1.2)
  for (const ms of [10, 40, 60]) {
    const size = 24 * ms
    await listen((sound) => {
      let frames = 0
      for (let index = 0; (index + 1) * size <= samples.length; index++) {
        const piece = samples.subarray(index * size, (index + 1) * size)
        sound.packet(mine.encoder.encodeFloat(piece, { frameSize: size }), index, index * ms * 48)
        for (let time = 0; time < Math.max(1, ms / 20); time++) frames += sound.pull().length
      }
      expect(frames).toBe(60)
    })
  }
})

test('the fiftieth packet in a row that is no Opus fails it, and one good packet begins the count anew', async () => {
  // A packet of two frames of one length, in an odd number of bytes.
  const broken = Uint8Array.of(0x49, 1, 2, 3)
  const [good] = packetsOf(sine(24_000, 440, 0.02).samples)
  await listen((sound) => {
    let sequence = 0
    const send = (packet: Uint8Array, times: number): void => {
      for (let time = 0; time < times; time++) {
        sound.packet(packet, sequence, sequence++ * 1_920)
        while (sound.pull().length > 0);
      }
    }
    send(broken, 49)
    expect(sound.hasFailed).toBe(false)
    send(good!, 1)
    send(broken, 49)
    expect(sound.hasFailed).toBe(false)
    send(broken, 1)
    expect(sound.hasFailed).toBe(true)
  })
})

test('no packet of random bytes breaks the decoder, and what is heard are frames within bounds', async () => {
  using own = (await codecs.take())!
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 80 }), { maxLength: 20 }), (packets) => {
      const sound = new OpusSound(own.decoder)
      for (const [index, packet] of packets.entries()) {
        sound.packet(packet, index, index * 960)
        const frames = sound.pull()
        expect(frames.length).toBeLessThanOrEqual(3)
        for (const frame of frames) expect(frame.every((sample) => Math.abs(sample) <= 1)).toBe(true)
      }
    }),
    { numRuns: 100 },
  )
})

test('as many calls have codecs as may, and one that ends gives its place to another', async () => {
  const few = new Codecs(2)
  const first = (await few.take())!
  using _second = (await few.take())!
  expect(await few.take()).toBeUndefined()
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  expect(few.open).toBe(1)
  using third = await few.take()
  expect(third).toBeDefined()
  expect(await few.take()).toBeUndefined()
})

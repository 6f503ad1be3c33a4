/** Tests with real Opus. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { speechLike } from '../../../../tests/core/sound/samples.ts'
import { type CallCodecs, Codecs } from '../codecs.ts'
import { hasFec } from '../hear/jitter-buffer.ts'
import { OpusVoice } from './opus-voice.ts'

// Each test gets its own encoder, which keeps the expected loss that was set.
let codecs: CallCodecs
beforeEach(async () => {
  codecs = (await new Codecs(1).take())!
})
afterEach(() => codecs[Symbol.dispose]())

const { samples } = speechLike(24_000, 4)
const frames = Array.from({ length: 200 }, (_, index) => samples.subarray(480 * index, 480 * (index + 1)))
const silence = new Float32Array(480)

test('what is said is a packet a frame, and timestamps count frames that were not sent, too', () => {
  const voice = new OpusVoice(codecs.encoder)
  const sent = frames.map((frame) => voice.encode(frame, false))
  expect(sent.map((one) => one?.timestamp)).toEqual(frames.map((_, index) => 960 * index))
  for (let time = 0; time < 50; time++) voice.encode(silence, true)
  expect(voice.encode(frames[0]!, false)?.timestamp).toBe(250 * 960)
})

test('after 200 ms of silence one small packet in 400 ms says that the line is alive', () => {
  const voice = new OpusVoice(codecs.encoder)
  for (const frame of frames) voice.encode(frame, false)
  const sent = Array.from({ length: 110 }, () => voice.encode(silence, true))
  const sentAt = sent.flatMap((one, index) => (one ? [index] : []))
  expect(sentAt).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 29, 49, 69, 89, 109])
  for (const one of sent.slice(20)) expect(one?.packet.length ?? 0).toBeLessThanOrEqual(2)
})

test('the more is lost, the more of the packets repeat the one before; where nothing is lost, none does', () => {
  const repairsAt = (loss: number | undefined): number => {
    const voice = new OpusVoice(codecs.encoder)
    voice.expectLoss(loss)
    return frames.filter((frame) => hasFec(voice.encode(frame, false)!.packet)).length
  }
  expect(repairsAt(undefined)).toBe(0)
  expect(repairsAt(0.1)).toBeGreaterThan(frames.length / 4)
  expect(repairsAt(0.3)).toBeGreaterThanOrEqual(repairsAt(0))
})

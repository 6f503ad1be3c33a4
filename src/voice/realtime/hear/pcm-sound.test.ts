import { expect, test } from 'vitest'
import { sine } from '../../../../tests/core/sound/samples.ts'
import { aLaw, muLaw } from './g711.ts'
import { type PcmFormat, PcmSound } from './pcm-sound.ts'

function bytesOf(samples: Float32Array): Buffer {
  const bytes = Buffer.alloc(2 * samples.length)
  for (const [index, sample] of samples.entries()) bytes.writeInt16LE(Math.round(sample * 32_767), 2 * index)
  return bytes
}

const tone = bytesOf(sine(24_000, 440, 1).samples)

function heardOf(sound: PcmSound): Float32Array[] {
  const frames: Float32Array[] = []
  for (let count = -1; count < frames.length; ) {
    count = frames.length
    frames.push(...sound.pull())
  }
  return frames
}

/** The decoded sound of bytes that are cut into events of `size` bytes. */
function heardInPieces(bytes: Buffer, size: number, format: PcmFormat = 'pcm16'): Float32Array {
  const sound = new PcmSound(format)
  const frames: Float32Array[] = []
  for (let at = 0; at < bytes.length; at += size) {
    expect(sound.append(bytes.subarray(at, at + size).toString('base64'))).toBe('taken')
    frames.push(...heardOf(sound))
  }
  return Float32Array.from(frames.flatMap((frame) => [...frame]))
}

test('sound of 24 kHz is heard at 16 kHz, the same however it is cut, between the bytes of a sample, too', () => {
  const whole = heardInPieces(tone, tone.length)
  // All but the last frame, whose end waits for the sound after it.
  expect(whole).toHaveLength(49 * 320)
  for (const size of [1_001, 960, 4_800, 7]) expect(heardInPieces(tone, size)).toEqual(whole)
  const expected = sine(16_000, 440, 1).samples
  for (let index = 320; index < whole.length; index++)
    expect(Math.abs(whole[index]! - expected[index]!)).toBeLessThan(0.01)
})

test('both laws of telephony are read as ITU-T G.711 has them', () => {
  const valuesOf = (table: Float32Array, bytes: number[]): number[] =>
    bytes.map((byte) => table[byte]! * 32_768 + 0)
  expect(valuesOf(muLaw, [0x00, 0x0f, 0x70, 0x7e, 0x7f, 0x80, 0x8f, 0xf0, 0xfe, 0xff])).toEqual([
    -32_124, -16_764, -120, -8, 0, 32_124, 16_764, 120, 8, 0,
  ])
  expect(valuesOf(aLaw, [0x2a, 0x25, 0x55, 0xaa, 0xa5, 0xd5, 0x80])).toEqual([
    -32_256, -16_896, -8, 32_256, 16_896, 8, 5_504,
  ])
  const silence = Buffer.alloc(8_000, 0xff)
  expect(heardInPieces(silence, 999, 'pcmu').every((sample) => sample === 0)).toBe(true)
  expect(heardInPieces(Buffer.alloc(8_000, 0xd5), 999, 'pcma')).toHaveLength(49 * 320)
})

test('what is no base64 is refused, with padding and without', () => {
  const sound = new PcmSound('pcm16')
  for (const text of ['AAA*', 'AA A', 'سلام', 'AA=A'])
    expect([text, sound.append(text)]).toEqual([text, 'malformed'])
  for (const text of ['', 'AAAA', 'AAA=', 'AA==', 'AAA'])
    expect([text, sound.append(text)]).toEqual([text, 'taken'])
})

test('a minute may wait and not a sample more; each tick hears 160 ms of it, and makes room for as much', () => {
  const second = Buffer.alloc(48_000).toString('base64')
  const sound = new PcmSound('pcm16')
  for (let time = 0; time < 60; time++) expect(sound.append(second)).toBe('taken')
  expect(sound.waitingMs).toBe(60_000)
  expect(sound.append('AAA=')).toBe('full')
  expect([...sound.pull()]).toHaveLength(8)
  expect(sound.waitingMs).toBeLessThanOrEqual(59_840)
  expect(sound.append(Buffer.alloc(160 * 48).toString('base64'))).toBe('taken')
  expect(sound.append(second)).toBe('full')
})

test('an action comes after the sound before it and before the sound behind it, and the rest of a frame is silence', () => {
  const sound = new PcmSound('pcm16')
  const order: (string | number)[] = []
  sound.runAfterPending(() => order.push('first'))
  expect(order).toEqual(['first'])
  sound.append(tone.subarray(0, 5 * 960 + 480).toString('base64'))
  sound.runAfterPending(() => order.push('second'))
  sound.append(tone.toString('base64'))
  expect(order).toEqual(['first'])
  for (const frame of sound.pull()) order.push(frame.length)
  expect(order).toEqual(['first', 320, 320, 320, 320, 320, 320, 'second', 320, 320])
})

test('what was cleared is not heard, and actions that waited for it run', () => {
  const sound = new PcmSound('pcm16')
  let hasRun = false
  sound.append(tone.subarray(0, 4_801).toString('base64'))
  sound.runAfterPending(() => {
    hasRun = true
  })
  sound.clear()
  expect(hasRun).toBe(true)
  expect(sound.waitingMs).toBe(0)
  expect([...sound.pull()]).toEqual([])
})

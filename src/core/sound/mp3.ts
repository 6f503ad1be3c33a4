import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { createEncoder } from 'wasm-media-encoders'
import { readMp3Frame } from '#core/magic'
import { type Codec, type CodecOptions, noBytes, rateFor } from './codec.ts'
import { id3Of } from './id3.ts'

const rates = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const
/** Samples that LAME puts before the sound; every decoder adds 529 of its own, which players know. */
const encoderDelay = 576

type Wasm = Parameters<typeof createEncoder>[1]

/** The module, compiled at the first use and kept; each encoder is an instance of its own. */
let compiled: Promise<Wasm> | undefined

async function compile(): Promise<Wasm> {
  const { createEncoder } = await import('wasm-media-encoders')
  const wasm = await readFile(fileURLToPath(import.meta.resolve('wasm-media-encoders/wasm/mp3')))
  return new Promise((resolve, reject) => {
    createEncoder('audio/mpeg', wasm, resolve).catch(reject)
  })
}

/**
 * MPEG layer III at a constant bit rate, by LAME. A table comes first (Info, which players do not show) that states how many samples the encoder put
 * before the sound; in a whole file it also counts the frames, and the samples after the sound. A note stands before the table.
 */
export async function openMp3(rate: number, { kilobits, note }: CodecOptions): Promise<Codec> {
  const { createEncoder } = await import('wasm-media-encoders')
  compiled ??= compile()
  const encoder = await createEncoder('audio/mpeg', await compiled)
  const own = rateFor(rate, rates)
  const bitrate = (kilobits ?? bitrateOf(own)) as 32 | 64 | 96
  encoder.configure({ channels: 1, sampleRate: own, outputSampleRate: own, bitrate })
  const tag = note === undefined ? noBytes : id3Of(note)
  let taken = 0
  let written = 0
  let first: Uint8Array | undefined
  const out = (encoded: Uint8Array): Uint8Array => {
    if (encoded.length === 0) return noBytes
    // The bytes that the encoder returns lie in its own memory, and are overwritten by the next call.
    const bytes = Buffer.from(encoded)
    written += bytes.length
    if (first) return bytes
    first = bytes.subarray(0, 4)
    return Buffer.concat([tag, infoOf(first, bitrate), bytes])
  }
  return {
    rate: own,
    write: (samples) => {
      taken += samples.length
      return samples.length === 0 ? noBytes : out(encoder.encode([samples]))
    },
    end: () => out(encoder.finalize()),
    wholeHead: () =>
      first ? Buffer.concat([tag, infoOf(first, bitrate, { samples: taken, bytes: written })]) : noBytes,
    close: () => {},
  }
}

/** The bit rate in kbit/s, for one channel. MPEG 2.5, below 16 kHz, has 64 at most. */
const bitrateOf = (rate: number): 32 | 64 | 96 => (rate < 16_000 ? 32 : rate < 32_000 ? 64 : 96)

/** A frame without sound that carries the table, with the header of the first frame. */
function infoOf(
  header: Uint8Array,
  kilobits: number,
  whole?: { samples: number; bytes: number },
): Uint8Array {
  const frame = readMp3Frame(header, 0)!
  const info = Buffer.alloc(frame.length)
  info.set(header)
  info[1]! |= 1 // no checksum
  info.write('Info', frame.headerBytes)
  let at = frame.headerBytes + 8
  let padding = 0
  if (whole) {
    const frameBytes = (frame.samples * 125 * kilobits) / frame.sampleRate
    const frames = Math.round(whole.bytes / frameBytes)
    padding = Math.max(0, Math.min(4_095, frames * frame.samples - encoderDelay - whole.samples))
    info[at - 1] = 3 // frames and bytes are there
    info.writeUInt32BE(frames, at)
    info.writeUInt32BE(whole.bytes + frame.length, at + 4)
    at += 8
  }
  info.write('LAME3.100', at)
  info.writeUIntBE(encoderDelay * 4_096 + padding, at + 21, 3)
  return info
}

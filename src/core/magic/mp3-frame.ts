import { hasText } from './bytes.ts'

/** One MPEG audio frame: bytes, samples and samples a second; `headerBytes` is where its audio data begins. */
export interface Mp3Frame {
  length: number
  samples: number
  sampleRate: number
  channels: 1 | 2
  headerBytes: number
}

/** kbit/s by bitrate index, for MPEG-1, then MPEG-2 and 2.5, each by layers I, II, III (ISO 11172-3 2.4.2.3, 13818-3). */
const bitrates: readonly (readonly (readonly number[])[])[] = [
  [
    [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  ],
  [
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ],
]
const sampleRates = [44_100, 48_000, 32_000]

/** Reads the frame header at the offset; `undefined` when there is none, or when it has free or reserved values. */
export function readMp3Frame(bytes: Uint8Array, at: number): Mp3Frame | undefined {
  const second = bytes[at + 1]
  if (bytes[at] !== 0xff || second === undefined || (second & 0xe0) !== 0xe0) return undefined
  const third = bytes[at + 2]
  const fourth = bytes[at + 3]
  if (third === undefined || fourth === undefined) return undefined
  const version = (second >> 3) & 3 // MPEG version: 0 is 2.5, 2 is 2, 3 is 1
  const layer = 4 - ((second >> 1) & 3) // 4 is reserved
  const rate = sampleRates[(third >> 2) & 3]
  if (version === 1 || layer === 4 || rate === undefined) return undefined
  const kilobits = bitrates[version === 3 ? 0 : 1]?.[layer - 1]?.[third >> 4]
  if (!kilobits) return undefined
  const sampleRate = version === 3 ? rate : version === 2 ? rate / 2 : rate / 4
  const samples = layer === 1 ? 384 : layer === 3 && version !== 3 ? 576 : 1152
  const padding = (third >> 1) & 1
  const length =
    layer === 1
      ? (Math.floor((12_000 * kilobits) / sampleRate) + padding) * 4
      : Math.floor(((samples / 8) * 1000 * kilobits) / sampleRate) + padding
  const mono = fourth >> 6 === 3
  const sideInformation = version === 3 ? (mono ? 17 : 32) : mono ? 9 : 17
  return { length, samples, sampleRate, channels: mono ? 1 : 2, headerBytes: 4 + sideInformation }
}

/** The offset at which the audio begins: after the ID3v2 tag, if there is one. The size of the tag has four 7-bit bytes. */
export function skipId3(bytes: Uint8Array): number {
  if (!hasText(bytes, 0, 'ID3') || bytes.length < 10) return 0
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((bytes[at] ?? 0) & 0x7f), 0)
  const footer = ((bytes[5] ?? 0) & 0x10) === 0 ? 0 : 10
  return 10 + size + footer
}

/** Whether the frame carries a table of the encoder (Xing, Info, VBRI) instead of sound. */
export function isEncoderTable(bytes: Uint8Array, at: number, frame: Mp3Frame): boolean {
  const place = at + frame.headerBytes
  return hasText(bytes, place, 'Xing') || hasText(bytes, place, 'Info') || hasText(bytes, at + 36, 'VBRI')
}

/** AAC in frames that each have a head of their own (ISO 13818-7 and 14496-3, ADTS). */

const rates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
]
export const headBytes = 7
/** The samples of one block of a frame. */
const blockSamples = 1_024
/** The most bytes after a head, as a length has thirteen bits. */
export const maxAdtsBytes = (1 << 13) - 1 - headBytes

/** A frame; `bytes` includes its head. */
export interface AdtsFrame {
  bytes: number
  samples: number
  rate: number
  /** 0: the first block of the frame states the channels. */
  channels: number
}

/** The frame at this offset; `undefined` where none begins, or its head is not whole. */
export function adtsFrameAt(bytes: Uint8Array, at: number): AdtsFrame | undefined {
  if (at + headBytes > bytes.length || bytes[at] !== 0xff || (bytes[at + 1]! & 0xf6) !== 0xf0)
    return undefined
  const rate = rates[(bytes[at + 2]! >> 2) & 15]
  const length = ((bytes[at + 3]! & 3) << 11) | (bytes[at + 4]! << 3) | (bytes[at + 5]! >> 5)
  const own = (bytes[at + 1]! & 1) === 0 ? headBytes + 2 : headBytes
  if (rate === undefined || length <= own) return undefined
  const channels = ((bytes[at + 2]! & 1) << 2) | (bytes[at + 3]! >> 6)
  return {
    bytes: length,
    samples: blockSamples * ((bytes[at + 6]! & 3) + 1),
    rate,
    channels: channels === 7 ? 8 : channels,
  }
}

/** The AAC settings that an MP4 or a Matroska file states once, as the head that ADTS repeats. `undefined` for settings that ADTS has no room for. */
export function adtsHeadOf(config: Uint8Array): ((length: number) => Uint8Array) | undefined {
  if (config.length < 2) return undefined
  let type = config[0]! >> 3
  const rateIndex = ((config[0]! & 7) << 1) | (config[1]! >> 7)
  const channels = (config[1]! >> 3) & 15
  let isShort = (config[1]! & 4) !== 0
  // SBR or parametric stereo is announced before the AAC below it; a decoder also finds it in the blocks.
  if (type === 5 || type === 29) {
    if (config.length < 4 || (((config[1]! & 7) << 1) | (config[2]! >> 7)) === 15) return undefined
    type = (config[2]! >> 2) & 31
    isShort = (config[2]! & 2) !== 0
  }
  if (type < 1 || type > 4 || rates[rateIndex] === undefined || channels < 1 || channels > 7 || isShort)
    return undefined
  return (length) => {
    const all = length + headBytes
    return Uint8Array.of(
      0xff, 0xf1,
      ((type - 1) << 6) | (rateIndex << 2) | (channels >> 2),
      ((channels & 3) << 6) | (all >> 11),
      (all >> 3) & 0xff,
      ((all & 7) << 5) | 0x1f, 0xfc,
    ) // biome-ignore format: bytes
  }
}

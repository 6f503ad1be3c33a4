import { hasText, isEncoderTable, readMp3Frame, skipId3, sniff, viewOf } from '#core/magic'

/** Length of a wav or mp3 in seconds; `undefined` for anything else and for headers that make no sense. */
export function measureAudio(bytes: Uint8Array): { durationSeconds: number } | undefined {
  const type = sniff(bytes)
  const seconds =
    type === 'audio/wav' ? measureWav(bytes) : type === 'audio/mpeg' ? measureMp3(bytes) : undefined
  return seconds !== undefined && seconds > 0 ? { durationSeconds: seconds } : undefined
}

/** The most chunks that are read; recordings have some dozens before their sound. */
const maxChunks = 10_000

/** Formats whose byte rate follows from rate, channels and bits: PCM, float, A-law, µ-law, extensible. */
const linear = new Set([1, 3, 6, 7, 0xfffe])

/** RIFF WAVE: counts the sound bytes that are there, so that a header cannot claim more time than it brings. */
function measureWav(bytes: Uint8Array): number | undefined {
  const view = viewOf(bytes)
  let bytesPerSecond: number | undefined
  let at = 12
  for (let chunks = 0; chunks < maxChunks && at + 8 <= bytes.length; chunks++) {
    const claimed = view.getUint32(at + 4, true)
    const start = at + 8
    if (hasText(bytes, at, 'fmt ')) {
      bytesPerSecond = claimed >= 16 && start + 16 <= bytes.length ? rateOf(view, start) : undefined
      if (bytesPerSecond === undefined) return undefined
    } else if (hasText(bytes, at, 'data')) {
      // Writers to a pipe leave the size at 0 or at its maximum.
      const open = claimed === 0 || claimed >= 0xffff_ff00
      const size = open ? bytes.length - start : Math.min(claimed, bytes.length - start)
      return bytesPerSecond === undefined ? undefined : size / bytesPerSecond
    }
    at = start + claimed + (claimed % 2)
  }
  return undefined
}

function rateOf(view: DataView, at: number): number | undefined {
  const format = view.getUint16(at, true)
  const channels = view.getUint16(at + 2, true)
  const sampleRate = view.getUint32(at + 4, true)
  const bits = view.getUint16(at + 14, true)
  if (channels < 1 || channels > 64 || sampleRate < 1000 || sampleRate > 768_000) return undefined
  if (!linear.has(format)) return view.getUint32(at + 8, true) || undefined
  return bits >= 8 && bits <= 64 ? sampleRate * channels * Math.ceil(bits / 8) : undefined
}

/** The most bytes of rubbish between frames that are skipped, as players do. */
const maxRubbishBytes = 65_536
/** The most places within rubbish that may begin a frame or a tag; pictures and texts between frames have some ten thousands of them a megabyte. */
const maxFalseStarts = 100_000

/**
 * The seconds of an mp3. All frames are walked, which is right for constant and variable bit rates alike and does not rely on the frame count of a
 * Xing table (a table's frame has no sound and is not counted). Encoder delay, some hundredths of a second, is included. `undefined` for rubbish that
 * is made to look like frames.
 */
function measureMp3(bytes: Uint8Array): number | undefined {
  let at = skipId3(bytes)
  let seconds = 0
  let frames = 0
  let rubbish = 0
  let falseStarts = 0
  while (at + 4 <= bytes.length && rubbish < maxRubbishBytes) {
    const frame = readMp3Frame(bytes, at)
    // A chance sync word inside rubbish is not followed by a frame.
    const credible =
      frame && (frames > 0 && rubbish === 0 ? true : isFollowedByFrame(bytes, at + frame.length))
    if (!frame || !credible) {
      if (hasText(bytes, at, 'TAG') || hasText(bytes, at, 'APETAGEX')) break
      if (++falseStarts > maxFalseStarts) return undefined
      const next = nextStart(bytes, at + 1)
      rubbish += next - at
      at = next
      continue
    }
    if (frames > 0 || !isEncoderTable(bytes, at, frame)) seconds += frame.samples / frame.sampleRate
    frames += 1
    rubbish = 0
    at += frame.length
  }
  return frames > 0 ? seconds : undefined
}

/** The next byte with which a frame or a tag may begin, or the end. */
function nextStart(bytes: Uint8Array, from: number): number {
  let at = from
  for (; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte >= 0x41 && (byte === 0xff || byte === 0x54 || byte === 0x41)) break
  }
  return at
}

function isFollowedByFrame(bytes: Uint8Array, at: number): boolean {
  return at >= bytes.length || hasText(bytes, at, 'TAG') || readMp3Frame(bytes, at) !== undefined
}

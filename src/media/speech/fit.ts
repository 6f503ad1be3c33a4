/** The layout of an answer's sound, and fitting the sound into the answer. */
import { readMp3Frame, skipId3 } from '#core/media'
import { decodeSound, encodeWhole, type SoundFormat } from '#core/sound'
import { fail } from '#platform/errors'
import { roomSeconds } from './plan.ts'

/** Speech is understood well at this bit rate; an mp3 made here has 64. */
const leastKilobits = 32
/** The sample rate of an mp3 that is made smaller. */
const smallRate = 24_000
/** The bound for reading a stored sound again: every stored sound may be read. */
const maxSeconds = 24 * 60 * 60

/** A whole sound that has been stored. */
export interface StoredSound {
  bytes: Uint8Array
  seconds: number
  file: string
}

/**
 * The bytes as they are where there is room for them; a longer mp3 is encoded again at the least bit rate. Throws SOUND_KEPT_AS_FILE where that is
 * too long as well, and for formats that cannot be made smaller.
 */
export async function fitSpeech(
  { bytes, seconds, file }: StoredSound,
  format: SoundFormat,
  maxBytes: number,
): Promise<Uint8Array> {
  if (bytes.length <= maxBytes) return bytes
  const perSecond = (leastKilobits * 1_000) / 8
  if (format === 'mp3' && (seconds + 1) * perSecond <= maxBytes) {
    const small = { format, rate: smallRate, kilobits: leastKilobits, maxBytes }
    return (await encodeWhole(decodeSound([bytes], { maxSeconds }), small)).bytes
  }
  const room = format === 'mp3' ? Math.floor(maxBytes / perSecond) : roomSeconds(format, maxBytes)
  return fail(
    'SOUND_KEPT_AS_FILE',
    { file, seconds: Math.round(seconds), maxSeconds: room },
    { executed: true },
  )
}

/** The rate and channels of a sound. An mp3 names them in its frames; every other format of an answer is made here, with one channel at 24 kHz. */
export function layoutOf(bytes: Uint8Array, format: SoundFormat): { rate: number; channels: number } {
  const made = { rate: smallRate, channels: 1 }
  if (format !== 'mp3') return made
  for (let at = skipId3(bytes); at < bytes.length; at++) {
    const frame = readMp3Frame(bytes, at)
    // A chance sync word is not followed by a frame.
    const isFrame = frame && (at + frame.length >= bytes.length || readMp3Frame(bytes, at + frame.length))
    if (isFrame) return { rate: frame.sampleRate, channels: frame.channels }
  }
  return made
}

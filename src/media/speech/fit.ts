/** What an answer says of its sound, and how it fits into it. */
import { readFrame, skipId3 } from '#core/media'
import { decodeSound, encodeWhole, type SoundFormat } from '#core/sound'
import { fail } from '#platform/errors'
import { roomSeconds } from './plan.ts'

/** Speech is understood well at this; an mp3 of ours has 64. */
const leastKilobits = 32
/** Of the mp3 that is made smaller. */
const smallRate = 24_000
/** Whatever is stored may be read again. */
const maxSeconds = 24 * 60 * 60

/** A whole sound that is stored. */
export interface StoredSound {
  bytes: Uint8Array
  seconds: number
  file: string
}

/**
 * The bytes as they are where there is room for them; of a longer mp3 the same at the least bit rate. Throws SOUND_KEPT_AS_FILE where that
 * is too long as well, and for formats that cannot be made smaller.
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

/** Of an mp3 whose frames say it; every other format of an answer is made here, of one channel at 24 kHz. */
export function layoutOf(bytes: Uint8Array, format: SoundFormat): { rate: number; channels: number } {
  const made = { rate: smallRate, channels: 1 }
  if (format !== 'mp3') return made
  for (let at = skipId3(bytes); at < bytes.length; at++) {
    const frame = readFrame(bytes, at)
    // A chance sync word is not followed by a frame.
    const isFrame = frame && (at + frame.length >= bytes.length || readFrame(bytes, at + frame.length))
    if (isFrame) return { rate: frame.sampleRate, channels: frame.channels }
  }
  return made
}

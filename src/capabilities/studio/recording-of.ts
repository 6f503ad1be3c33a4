/** A recording in a body, decoded, named by its bytes, and measured. */
import { reasons as mediaReasons } from '#capabilities/text'
import { sniff } from '#engine/media'
import { decodeSound, encodeWhole, SoundError } from '#engine/sound'
import type { Media } from '#engine/turn'
import { decodeBase64InSlices } from '#platform/bytes'
import { fail } from '#platform/errors'
import { reasons } from './phrases.ts'
import type { AudioBody } from './schema.ts'

/** Of a recording that is answered. */
const maxSeconds = 15 * 60
/** Models hear no more than that. */
const heardRate = 24_000
const maxBytes = maxSeconds * heardRate * 2 + 1_024

/**
 * The recording as WAV, whatever it came as: not every upstream takes every container, and its length must be known before the hold. Throws
 * INVALID_MEDIA.
 */
export async function recordingOf({
  audioBase64,
  mediaType,
}: NonNullable<AudioBody['audioInput']>): Promise<Media> {
  const bytes = await decodeBase64InSlices(audioBase64)
  if (!bytes || bytes.length === 0)
    return fail('INVALID_MEDIA', { why: mediaReasons.notBase64 }, { param: 'audioInput.audioBase64' })
  try {
    const sound = decodeSound([bytes], { maxSeconds })
    const wav = await encodeWhole(sound, { format: 'wav', rate: heardRate, maxBytes })
    return {
      data: wav.bytes,
      mediaType: 'audio/wav',
      durationSeconds: wav.seconds,
      param: 'audioInput.audioBase64',
    }
  } catch (error) {
    if (!(error instanceof SoundError)) throw error
    const found = error.mediaType ?? sniff(bytes) ?? mediaType
    const why = error.fault === 'too_long' ? reasons.longRecording(maxSeconds) : reasons.unreadable(found)
    return fail('INVALID_MEDIA', { why }, { param: 'audioInput.audioBase64' })
  }
}

/** Decodes the recording in a body, identifies it by its bytes, and measures it. */

import { setTruncatedAudio } from '#core/calls'
import { sniff } from '#core/media'
import { encodeWhole, needsFfmpeg, SoundError } from '#core/sound'
import { reasons as mediaReasons } from '#core/text'
import type { Media } from '#core/turn'
import type { OpenedRecording } from '#media/transcription'
import { decodeBase64InSlices } from '#platform/bytes'
import { Failure, type Failures, fail, type Localized } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import type { StudioApp } from './app.ts'
import { reasons } from './phrases.ts'
import type { AudioBody } from './schema.ts'

/** The most seconds of a recording that is answered. */
const maxSeconds = 15 * 60
/** The sample rate of the decoded recording; models hear nothing above it. */
const decodedRate = 24_000
const maxBytes = maxSeconds * decodedRate * 2 + 1_024

/** The wait suggested to the caller while other recordings are being read. */
const retryAfterMs = 2_000

/**
 * The recording as WAV, whatever its format was: not every upstream takes every container, and its length must be known before the hold. Throws
 * INVALID_MEDIA, and TOO_MUCH_IN_FLIGHT where too many others wait.
 */
export async function recordingOf(
  context: RequestContext<Pick<StudioApp, 'recordings'>>,
  { audioBase64 }: NonNullable<AudioBody['audioInput']>,
): Promise<Media> {
  const { app, caller, gone } = context
  const bytes = await bytesOf(audioBase64)
  return readOrRefuse({ mediaType: sniff(bytes) }, async () => {
    const requester = { accountId: caller.accountId, signal: gone }
    let isTruncated = false
    const onTruncated = () => {
      isTruncated = true
    }
    const sound = app.recordings.decode(bytes, requester, { maxSeconds, onTruncated })
    const wav = await encodeWhole(sound, { format: 'wav', rate: decodedRate, maxBytes })
    setTruncatedAudio(context, { isTruncated, seconds: wav.seconds })
    return {
      data: wav.bytes,
      mediaType: 'audio/wav',
      durationSeconds: wav.seconds,
      param: 'audioInput.audioBase64',
    }
  })
}

/** The recording as it came, opened and measured for transcription. Throws as `recordingOf` does. */
export async function openRecordingOf(
  context: RequestContext<Pick<StudioApp, 'recordings'>>,
  { audioBase64 }: NonNullable<AudioBody['audioInput']>,
): Promise<OpenedRecording & AsyncDisposable> {
  const { app, caller, gone } = context
  const source = await bytesOf(audioBase64)
  return readOrRefuse({ mediaType: sniff(source) }, async () => {
    const requester = { accountId: caller.accountId, signal: gone }
    const recording = await app.recordings.open(source, requester, { maxSeconds })
    setTruncatedAudio(context, recording.measured)
    return { source, recording, [Symbol.asyncDispose]: () => recording[Symbol.asyncDispose]() }
  })
}

async function bytesOf(audioBase64: string): Promise<Uint8Array> {
  const bytes = await decodeBase64InSlices(audioBase64)
  return bytes && bytes.length > 0 ? bytes : refuse(mediaReasons.notBase64)
}

/** Returns what `read` returns; a recording that cannot be read is refused. `mediaType` is what its bytes are, where they say it. */
export async function readOrRefuse<Read>(
  { mediaType }: { mediaType: string | undefined },
  read: () => Promise<Read>,
): Promise<Read> {
  try {
    return await read()
  } catch (error) {
    // Only sound that needs ffmpeg fits no transcriber: others are converted.
    if (error instanceof Failure && error.code === 'RECORDING_NOT_CONVERTIBLE')
      return refuse(
        reasons.noDecoder(mediaType, (error.detail as Failures['RECORDING_NOT_CONVERTIBLE']).codec),
      )
    if (!(error instanceof SoundError)) throw error
    if (error.fault === 'busy') return fail('TOO_MUCH_IN_FLIGHT', {}, { retryAfterMs })
    return refuse(refusalReason(error, error.mediaType ?? mediaType))
  }
}

const refuse = (why: Localized): never => fail('INVALID_MEDIA', { why }, { param: 'audioInput.audioBase64' })

function refusalReason({ fault, codec }: SoundError, mediaType: string | undefined): Localized {
  if (fault === 'too_long') return reasons.longRecording(maxSeconds)
  if (fault === 'no_track') return reasons.noSound(mediaType)
  if (fault === 'unsupported' && codec && needsFfmpeg(codec)) return reasons.noDecoder(mediaType, codec)
  if (fault === 'unsupported' && codec) return reasons.unreadCodec(mediaType, codec)
  return reasons.unreadable(mediaType)
}

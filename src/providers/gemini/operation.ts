/**
 * Veo's `predictLongRunning` (ai.google.dev/gemini-api/docs/veo, and where that differs from what the API takes, as `vercel/ai`,
 * packages/google/src/google-video-model.ts, has it): pictures are `bytesBase64Encoded`, not `inlineData`; `durationSeconds` is a number; there is no
 * field for sound, which is always made (googleapis/js-genai: "generateAudio parameter is not supported in Gemini API").
 */
import { encodeBase64 } from '#core/media'
import { UpstreamError, type VideoCall } from '#core/spec'
import type { Media } from '#core/turn'
import { faultOfJob, isRecord, jobBytes, mediaRequest, throwRefusal } from '#providers/kit'
import type { GeminiVideoState, VideoJobWire } from './film.ts'

/** The name of an operation, which is part of a path. */
const namePattern = /^(models\/[\w-][\w.-]{0,127}\/)?operations\/[\w-][\w.-]{0,255}$/

export const operationWire: VideoJobWire = {
  async submit(client, call) {
    const path = `/models/${encodeURIComponent(call.upstreamModel)}:predictLongRunning`
    const answer = await client.json(mediaRequest(call, path, bodyOf(call)), jobBytes).catch(throwRefusal)
    if (isRecord(answer) && answer['error'] != null) throw faultOfJob(answer['error'], client.secrets)
    const name = isRecord(answer) ? answer['name'] : undefined
    if (typeof name !== 'string' || !namePattern.test(name))
      throw malformed('a submission without an operation')
    return name
  },

  async look(client, { ticket, signal, timeouts }) {
    if (!namePattern.test(ticket.id)) throw new UpstreamError('not_found', { executed: false })
    return filmOf(await client.json({ path: `/${ticket.id}`, signal, timeouts }, jobBytes), client.secrets)
  },
}

function bodyOf({ order }: VideoCall): Record<string, unknown> {
  const { prompt, seconds, resolution, aspectRatio, seed, referenceMode } = order
  const pictures = order.references.flatMap(pictureOf)
  const [image, lastFrame] = pictures
  return {
    instances: [
      {
        prompt,
        ...(referenceMode === 'frames' && { ...(image && { image }), ...(lastFrame && { lastFrame }) }),
        ...(referenceMode === 'guide' && {
          referenceImages: pictures.map((picture) => ({ image: picture, referenceType: 'asset' })),
        }),
      },
    ],
    parameters: {
      aspectRatio,
      resolution,
      durationSeconds: seconds,
      ...(seed !== undefined && { seed }),
    },
  }
}

const pictureOf = ({ data, mediaType = 'image/png' }: Media) =>
  data ? [{ bytesBase64Encoded: encodeBase64(data), mimeType: mediaType }] : []

function filmOf(answer: unknown, secrets: readonly string[]): GeminiVideoState {
  if (!isRecord(answer) || ('done' in answer && typeof answer['done'] !== 'boolean'))
    throw malformed('no state of an operation')
  const { done, error, response } = answer
  if (done !== true) {
    if (error != null) throw faultOfJob(error, secrets)
    // An operation under way has its name, and perhaps nothing else.
    if (typeof answer['name'] !== 'string') throw malformed('no state of an operation')
    return { status: 'processing' }
  }
  if (error != null) return { status: 'failed', fault: faultOfJob(error, secrets) }
  const outer = isRecord(response) ? response : {}
  const made = isRecord(outer['generateVideoResponse']) ? outer['generateVideoResponse'] : outer
  const uri = uriIn(made)
  return uri === undefined
    ? { status: 'failed', fault: filtered(made, secrets) }
    : { status: 'completed', uri }
}

function uriIn({ generatedSamples }: Record<string, unknown>): string | undefined {
  const [sample]: unknown[] = Array.isArray(generatedSamples) ? generatedSamples : []
  const video = isRecord(sample) ? sample['video'] : undefined
  const uri = isRecord(video) ? video['uri'] : undefined
  return typeof uri === 'string' ? uri : undefined
}

/** The fault of an operation without a video. The video was filtered, if the answer says so; it is not billed. */
function filtered(
  { raiMediaFilteredCount: count, raiMediaFilteredReasons: reasons }: Record<string, unknown>,
  secrets: readonly string[],
): UpstreamError {
  const [reason]: unknown[] = Array.isArray(reasons) ? reasons : []
  if (reason === undefined && !(typeof count === 'number' && count > 0))
    return new UpstreamError('unavailable', { detail: 'The operation ended without a video.' })
  const message = typeof reason === 'string' && reason !== '' ? reason : 'The video was filtered.'
  return faultOfJob({ message, type: 'content_filter' }, secrets)
}

const malformed = (detail: string): UpstreamError => new UpstreamError('malformed', { detail })

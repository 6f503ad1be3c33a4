/** `POST /v1/videos`: the order in the shape of OpenRouter, and the fields of Sora's shape that relays send. */

import { callbackSecret, requireReachable } from '#account/webhooks'
import { ignoredFields, requireNoOptions, setIgnoredFields, unknownFields } from '#core/calls'
import type { VideoModel } from '#core/models'
import type { ReferenceMode } from '#core/turn'
import type { VideoJob, VideoSpec } from '#media/video'
import { fail } from '#platform/errors'
import { JsonText, type RequestContext } from '#platform/http'
import { acceptVideo, type PictureInput, videoModelOf, videoPromptOf } from './accept.ts'
import type { VideoRoutesApp } from './app.ts'
import { jobRecord } from './job-record.ts'
import { reasons } from './phrases.ts'
import { unsupportedFields, VideoOrderBody } from './schema.ts'
import { shapeOf, sizesOf } from './sizes.ts'

export async function orderVideo(context: RequestContext<VideoRoutesApp, VideoOrderBody>): Promise<JsonText> {
  const { app, body, requestId } = context
  refuseUnsupportedFields(body)
  requireNoOptions(body)
  const model = videoModelOf(context)
  const { references, referenceMode } = picturesIn(body)
  const wish = {
    prompt: videoPromptOf(body.prompt),
    seconds: secondsOf(body),
    ...shapeIn(model, body),
    withAudio: body.generate_audio ?? undefined,
    referenceMode,
    seed: body.seed ?? undefined,
  }
  const callbackUrl = body.callback_url
    ? await requireReachable(context, body.callback_url, 'callback_url')
    : undefined
  let answer = ''
  const replyOf = async (job: VideoJob): Promise<string> => {
    const record = jobRecord(context, job)
    if (callbackUrl === undefined) {
      answer = JSON.stringify(record)
      return answer
    }
    answer = JSON.stringify({ ...record, callback_secret: await callbackSecret(app, job.id) })
    return app.secrets.seal(answer, requestId)
  }
  await acceptVideo(context, {
    model,
    wish,
    references,
    where: (setting) => paramOf(body, setting),
    endpoint: '/v1/videos',
    ...(callbackUrl !== undefined && { callbackUrl }),
    replyOf,
  })
  setIgnoredFields(context, ignoredIn(body))
  return new JsonText(answer)
}

function refuseUnsupportedFields(body: VideoOrderBody): void {
  const unsupported = unsupportedFields.find((field) => body[field] != null)
  if (unsupported) fail('INVALID_REQUEST', { why: reasons.noModel }, { param: unsupported })
}

function ignoredIn(body: VideoOrderBody): string[] {
  const unused = hasFrames(body) && body.input_references?.length ? ['input_references'] : []
  return [...unknownFields(body, VideoOrderBody), ...ignoredFields(body), ...unused]
}

function secondsOf({ duration, seconds }: VideoOrderBody): number | undefined {
  if (duration != null && seconds != null && duration !== Number(seconds))
    fail('INVALID_REQUEST', { why: reasons.oneLength }, { param: 'seconds' })
  return duration ?? (seconds == null ? undefined : Number(seconds))
}

/** The resolution and ratio of the order; a size stands for both. */
function shapeIn(
  model: VideoModel,
  { size, resolution, aspect_ratio: aspectRatio }: VideoOrderBody,
): Pick<VideoSpec, 'resolution' | 'aspectRatio'> {
  const named = { resolution: resolution ?? undefined, aspectRatio: aspectRatio ?? undefined }
  if (size == null) return named
  const shape =
    shapeOf(model, size) ??
    fail('INVALID_REQUEST', { why: reasons.unknownSize(sizesOf(model)) }, { param: 'size' })
  if (named.resolution !== undefined && named.resolution !== shape.resolution)
    fail('INVALID_REQUEST', { why: reasons.sizeAlone('resolution') }, { param: 'resolution' })
  if (named.aspectRatio !== undefined && named.aspectRatio !== shape.aspectRatio)
    fail('INVALID_REQUEST', { why: reasons.sizeAlone('aspect_ratio') }, { param: 'aspect_ratio' })
  return shape
}

const hasFrames = ({ frame_images: frames }: VideoOrderBody): boolean => (frames?.length ?? 0) > 0

/** The pictures of the order. Frames are used rather than references where both are given, as OpenRouter does. */
function picturesIn(body: VideoOrderBody): { references: PictureInput[]; referenceMode?: ReferenceMode } {
  if (!hasFrames(body)) {
    const references = (body.input_references ?? []).map((one, index) =>
      pictureInputOf(one, `input_references.${index}.image_url.url`),
    )
    return references.length > 0 ? { references, referenceMode: 'guide' } : { references }
  }
  const frames = body.frame_images!.map((frame, index) => ({ ...frame, index }))
  const first = frames.filter(({ frame_type: type }) => type === 'first_frame')
  const last = frames.filter(({ frame_type: type }) => type === 'last_frame')
  if (first.length > 1 || last.length > 1)
    fail('INVALID_REQUEST', { why: reasons.oneOfEach }, { param: 'frame_images.1.frame_type' })
  if (first.length === 0)
    fail('INVALID_REQUEST', { why: reasons.firstFrameFirst }, { param: 'frame_images.0.frame_type' })
  const references = [...first, ...last].map(({ index }) =>
    pictureInputOf(body.frame_images![index]!, `frame_images.${index}.image_url.url`),
  )
  return { references, referenceMode: 'frames' }
}

const pictureInputOf = ({ image_url }: { image_url: { url: string } }, param: string): PictureInput => ({
  param,
  take: () => {
    const { url } = image_url
    image_url.url = ''
    return url
  },
})

/** The name of a setting in this body. */
function paramOf(body: VideoOrderBody, setting: string): string {
  if (setting === 'references' || setting === 'referenceMode')
    return hasFrames(body) ? 'frame_images' : 'input_references'
  if (setting === 'seconds') return body.duration == null && body.seconds != null ? 'seconds' : 'duration'
  if (setting === 'withAudio') return 'generate_audio'
  const isSize = body.size != null && (setting === 'resolution' || setting === 'aspectRatio')
  if (isSize) return 'size'
  return setting === 'aspectRatio' ? 'aspect_ratio' : setting
}

/** A job as OpenRouter's clients read it, with the fields that Sora's clients read. */

import type { FileLinks } from '#account/files'
import { usualLinkSeconds } from '#account/files'
import { costOf, usdOf } from '#core/calls'
import { sizeName } from '#core/models'
import { type VideoJob as Job, sentenceOf } from '#media/video'
import { baseUrlOf, type RequestContext } from '#platform/http'
import type { VideoRoutesApp } from './app.ts'
import type { VideoJob } from './schema.ts'
import { videoSize } from './sizes.ts'

const secondsAt = (time: Date): number => Math.floor(time.getTime() / 1000)

/** The record of a job. `links` makes the addresses of a stored video. */
export function jobRecord(
  context: Pick<
    RequestContext<Pick<VideoRoutesApp, 'clock' | 'config'>>,
    'app' | 'headers' | 'peer' | 'language'
  >,
  job: Job,
  links?: FileLinks,
): VideoJob {
  const { settings, video, error, endedAt, expiresAt } = job
  const ordered = videoSize(settings.resolution, settings.aspectRatio)
  return {
    id: job.id,
    generation_id: job.requestId,
    polling_url: `${baseUrlOf(context)}/v1/videos/${job.id}`,
    object: 'video',
    status: statusOf(job),
    model: job.model,
    created_at: secondsAt(job.createdAt),
    ...(endedAt && { completed_at: secondsAt(endedAt) }),
    ...(expiresAt && { expires_at: secondsAt(expiresAt) }),
    ...(job.progress !== null && { progress: job.progress }),
    ...(job.queuePosition !== undefined && { queue_position: job.queuePosition }),
    seconds: String(video?.durationSeconds ?? settings.seconds),
    size: sizeName(video ?? ordered),
    resolution: settings.resolution,
    aspect_ratio: settings.aspectRatio,
    generate_audio: settings.withAudio,
    request_id: job.requestId,
    ...fileIn(context, job, links),
    ...(!job.pending && {
      usage: {
        cost: usdOf(context.app, job.microcredits),
        is_byok: false as const,
        ...costOf(job.microcredits),
      },
    }),
    ...(error && { error: sentenceOf(error.code)[context.language], error_code: error.code }),
  }
}

function fileIn(
  { app }: Pick<RequestContext<Pick<VideoRoutesApp, 'clock'>>, 'app'>,
  { video, expiresAt }: Job,
  links: FileLinks | undefined,
): Pick<VideoJob, 'file_id' | 'unsigned_urls'> {
  const fileId = video?.fileId
  if (fileId === undefined) return {}
  const endMs = app.clock.nowMs() + usualLinkSeconds * 1000
  const until = new Date(Math.min(endMs, expiresAt?.getTime() ?? endMs))
  return { file_id: fileId, ...(links && { unsigned_urls: [links(fileId, until)] }) }
}

const statuses = { queued: 'pending', processing: 'in_progress', failed: 'failed' } as const

const statusOf = ({ status, video }: Job): VideoJob['status'] =>
  status === 'completed' ? (video?.fileId === undefined ? 'expired' : 'completed') : statuses[status]

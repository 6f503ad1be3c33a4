import { executionOf } from '#media/studio'
import { findVideo, sentenceOf, type VideoJob } from '#media/video'
import type { RequestContext } from '#platform/http'
import { creditsUp, exactCredits } from '#platform/ledger'
import type { VideoRoutesApp } from '../app.ts'
import { notFound } from '../content.ts'
import { pollSeconds } from '../poll-seconds.ts'
import type { VideoPair, VideoStatus } from './schema.ts'

/** Reads the stored job; no vendor is called. */
export async function readStatus(context: RequestContext<VideoRoutesApp, VideoPair>): Promise<VideoStatus> {
  const { app, caller, body, language } = context
  const job = (await findVideo(app.videos, caller, body)) ?? notFound()
  const { settings, video, error } = job
  return {
    id: job.id,
    providerJobId: job.providerJobId,
    object: 'studio.video',
    status: job.status,
    model: job.model,
    createdAt: job.createdAt.toISOString(),
    reservedCredits: creditsUp(job.reservedMicrocredits),
    requestId: job.requestId,
    pollAfterSeconds: pollSeconds(job, app.clock.nowMs()),
    progress: job.progress,
    ...(job.queuePosition !== undefined && { queuePosition: job.queuePosition }),
    settings: {
      duration: settings.seconds,
      resolution: settings.resolution,
      aspectRatio: settings.aspectRatio,
      generateAudio: settings.withAudio,
      ...(settings.referenceMode && { referenceMode: settings.referenceMode }),
    },
    completedAt: job.endedAt?.toISOString() ?? null,
    expiresAt: job.expiresAt?.toISOString() ?? null,
    ...(video && { video }),
    ...(video && { execution: executionIn(context, job) }),
    credits: exactCredits(job.microcredits),
    pending: job.pending,
    ...(error && { error: { code: error.code, message: sentenceOf(error.code)[language] } }),
  }
}

/** The execution record of a video, which has no tokens. */
const executionIn = (
  { app }: Pick<RequestContext<Pick<VideoRoutesApp, 'config'>>, 'app'>,
  { requestId, model, microcredits }: VideoJob,
): NonNullable<VideoStatus['execution']> =>
  executionOf({ app, requestId }, { model: { id: model }, tokens: { input: 0, output: 0 }, microcredits })

import { JsonText, type RequestContext } from '#platform/http'
import { creditsUp } from '#platform/ledger'
import { acceptVideo, type PictureInput, videoModelOf, videoPromptOf } from '../accept.ts'
import type { VideoRoutesApp } from '../app.ts'
import { pollSeconds } from '../poll-seconds.ts'
import type { AcceptedVideo, VideoBody } from './schema.ts'

export async function submit(context: RequestContext<VideoRoutesApp, VideoBody>): Promise<JsonText> {
  const { app, body } = context
  const { duration, resolution, aspectRatio, generateAudio, referenceMode } = body
  const reply = await acceptVideo(context, {
    model: videoModelOf(context),
    wish: {
      prompt: videoPromptOf(body.prompt),
      seconds: duration,
      resolution,
      aspectRatio,
      withAudio: generateAudio,
      referenceMode,
    },
    references: pictureInputsOf(body),
    where: (setting) => places[setting] ?? setting,
    endpoint: '/v1/studio/video',
    replyOf: (job) =>
      JSON.stringify({
        id: job.id,
        providerJobId: job.providerJobId,
        object: 'studio.video',
        status: 'queued',
        model: job.model,
        createdAt: job.createdAt.toISOString(),
        reservedCredits: creditsUp(job.reservedMicrocredits),
        requestId: job.requestId,
        pollAfterSeconds: pollSeconds(job, app.clock.nowMs()),
      } satisfies AcceptedVideo),
  })
  return new JsonText(reply)
}

const places: Readonly<Record<string, string>> = { seconds: 'duration', withAudio: 'generateAudio' }

const pictureInputsOf = ({ references = [] }: VideoBody): PictureInput[] =>
  references.map((reference, index) => ({
    param: `references.${index}.dataUrl`,
    take: () => {
      const { dataUrl } = reference
      reference.dataUrl = ''
      return dataUrl
    },
  }))

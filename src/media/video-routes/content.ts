/** The video itself, whole or in part. */
import { openVideo, type VideoQuery } from '#media/video'
import { fail } from '#platform/errors'
import { type ContentAnswer, content, type RequestContext } from '#platform/http'
import type { VideoRoutesApp } from './app.ts'

export const notFound = (): never => fail('NOT_FOUND', {}, { param: 'id' })

/** The content of a video. Throws NOT_FOUND also for a job of another project, VIDEO_NOT_READY, VIDEO_FAILED and VIDEO_EXPIRED. */
export async function answerVideo(
  { app, caller }: Pick<RequestContext<Pick<VideoRoutesApp, 'videos'>>, 'app' | 'caller'>,
  query: VideoQuery,
): Promise<ContentAnswer> {
  const video = (await openVideo(app.videos, caller, query)) ?? notFound()
  return content({
    mediaType: video.mediaType,
    bytes: video.bytes,
    etag: `"${video.sha256}"`,
    headers: {
      'cache-control': 'private, no-cache',
      'content-disposition': `inline; filename="${query.id.toLowerCase()}.mp4"`,
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    },
    open: async (range) => (await video.open(range)) ?? fail('VIDEO_EXPIRED', {}),
  })
}

import { fileLinks } from '#account/files'
import { findVideo } from '#media/video'
import type { ContentAnswer, RequestContext } from '#platform/http'
import type { VideoRoutesApp } from './app.ts'
import { answerVideo, notFound } from './content.ts'
import { jobRecord } from './job-record.ts'
import type { VideoJob } from './schema.ts'

type IdContext = RequestContext<VideoRoutesApp, unknown, unknown, { id: string }>

export async function readJob(context: IdContext): Promise<VideoJob> {
  const { app, caller, params } = context
  const job = (await findVideo(app.videos, caller, { id: params.id })) ?? notFound()
  return jobRecord(context, job, job.video?.fileId === undefined ? undefined : await fileLinks(context))
}

export const readContent = (context: IdContext): Promise<ContentAnswer> =>
  answerVideo(context, { id: context.params.id })

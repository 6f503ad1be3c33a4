import { modelFailures, modelsOfKind, paymentFailures, referenceHeaders } from '#core/calls'
import type { FailureCode } from '#platform/errors'
import type { Route } from '#platform/http'
import { anyObject } from '#platform/schema'
import { route, type VideoRoutesApp } from './app.ts'
import { answerVideo } from './content.ts'
import { HookParams, receiveHook } from './hook.ts'
import { listVideoModels } from './models.ts'
import { ContentQuery, VideoJob, VideoModelCards, VideoOrderBody, VideoParams } from './schema.ts'
import { readContent, readJob } from './status.ts'
import { AcceptedVideo, VideoBody, VideoPair, VideoStatus } from './studio/schema.ts'
import { readStatus } from './studio/status.ts'
import { submit } from './studio/submit.ts'
import { orderVideo } from './submit.ts'

/** The most bytes of a body: eight references of 12,000,000 characters, with room for the rest. */
const referenceBytes = 100 * 1024 * 1024
/** The most bytes of a vendor's webhook. */
const hookBytes = 1024 * 1024

const orderFailures: FailureCode[] = [
  ...modelFailures,
  ...paymentFailures,
  'FILES_QUOTA_EXCEEDED',
  'INVALID_MEDIA',
  'VIDEO_QUEUE_FULL',
  'VIDEO_SETTING_NOT_SUPPORTED',
  'VIDEO_TOO_EXPENSIVE',
]

const contentFailures: FailureCode[] = [
  'NOT_FOUND',
  'FILE_LOST',
  'VIDEO_EXPIRED',
  'VIDEO_FAILED',
  'VIDEO_NOT_READY',
]

const studioRoutes: Route<VideoRoutesApp>[] = [
  route({
    method: 'POST',
    path: '/v1/studio/video',
    operation: 'studio.video',
    writes: ['files'],
    scope: 'studio:write',
    summary: {
      en: 'Order a video; it is made in the background.',
      fa: 'سفارش ویدیو؛ در پس‌زمینه ساخته می‌شود.',
    },
    models: modelsOfKind('video'),
    idempotent: true,
    bodyLimit: referenceBytes,
    headers: referenceHeaders,
    body: VideoBody,
    reply: { 202: AcceptedVideo },
    errors: orderFailures,
    handle: submit,
  }),
  route({
    method: 'POST',
    path: '/v1/studio/video/status',
    operation: 'studio.videoStatus',
    writes: 'nothing',
    scope: 'studio:write',
    summary: { en: 'How a video stands.', fa: 'وضعیت یک ویدیو.' },
    body: VideoPair,
    reply: { 200: VideoStatus },
    errors: ['NOT_FOUND'],
    handle: readStatus,
  }),
  route({
    method: 'POST',
    path: '/v1/studio/video/content',
    operation: 'studio.videoContent',
    writes: 'nothing',
    scope: 'studio:write',
    summary: {
      en: 'A video that is completed, whole or in part (Range).',
      fa: 'ویدیوی آماده، کامل یا بخشی از آن (Range).',
    },
    body: VideoPair,
    reply: { 200: 'video/mp4' },
    ranges: true,
    errors: contentFailures,
    handle: (context) => answerVideo(context, context.body),
  }),
]

const openRouterRoutes: Route<VideoRoutesApp>[] = [
  route({
    method: 'POST',
    path: '/v1/videos',
    operation: 'videos.order',
    writes: ['files'],
    scope: 'studio:write',
    summary: {
      en: 'Order a video, in the shape of OpenRouter.',
      fa: 'سفارش ویدیو با قالب OpenRouter.',
    },
    models: modelsOfKind('video'),
    idempotent: true,
    unknownFields: 'tolerate',
    bodyLimit: referenceBytes,
    headers: referenceHeaders,
    body: VideoOrderBody,
    reply: { 202: VideoJob },
    errors: [...orderFailures, 'SECRETS_SEALED'],
    handle: orderVideo,
  }),
  route({
    method: 'GET',
    path: '/v1/videos/models',
    operation: 'videos.models',
    scope: 'models:read',
    orScope: 'studio:write',
    summary: {
      en: 'Video models and what each makes, in the shape of OpenRouter.',
      fa: 'مدل‌های ویدیو و آنچه هر یک می‌سازد، با قالب OpenRouter.',
    },
    reply: { 200: VideoModelCards },
    errors: [],
    handle: ({ app, caller }) => listVideoModels(app, caller),
  }),
  route({
    method: 'GET',
    path: '/v1/videos/{id}',
    operation: 'videos.job',
    scope: 'studio:write',
    summary: {
      en: 'How a video stands, in the shape of OpenRouter.',
      fa: 'وضعیت یک ویدیو با قالب OpenRouter.',
    },
    params: VideoParams,
    reply: { 200: VideoJob },
    errors: ['NOT_FOUND', 'SECRETS_SEALED'],
    handle: readJob,
  }),
  route({
    method: 'GET',
    path: '/v1/videos/{id}/content',
    operation: 'videos.content',
    scope: 'studio:write',
    summary: {
      en: 'A video that is completed, by the id of its job alone; whole or in part (Range).',
      fa: 'ویدیوی آماده تنها با شناسهٔ کار آن؛ کامل یا بخشی از آن (Range).',
    },
    params: VideoParams,
    query: ContentQuery,
    reply: { 200: 'video/mp4' },
    ranges: true,
    errors: contentFailures,
    handle: readContent,
  }),
]

const hookRoutes: Route<VideoRoutesApp>[] = [
  route({
    method: 'POST',
    path: '/v1/hooks/{provider}/{job}/{token}',
    operation: 'hooks.video',
    writes: 'nothing',
    scope: 'public',
    secretPath: true,
    summary: {
      en: 'Where vendors say that a job has moved; the address is made for each order.',
      fa: 'جایی که فروشندگان از تغییر یک کار خبر می‌دهند؛ نشانی برای هر سفارش ساخته می‌شود.',
    },
    unknownFields: 'tolerate',
    bodyLimit: hookBytes,
    params: HookParams,
    body: anyObject({
      description: 'As the vendor writes it.',
      'x-description-fa': 'به شکلی که فروشنده می‌نویسد.',
    }),
    reply: { 204: 'text/plain' },
    errors: ['NOT_FOUND'],
    handle: receiveHook,
  }),
]

export const routes: Route<VideoRoutesApp>[] = [...studioRoutes, ...openRouterRoutes, ...hookRoutes]

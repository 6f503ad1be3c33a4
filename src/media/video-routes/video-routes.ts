/**
 * The routes of videos, ordered by Studio or in OpenRouter's shape, and the webhooks of the vendors that make them. Videos are made in the
 * background.
 */
import type { App } from '#app'
import { videoJobs } from '#media/video'
import type { Job } from '#platform/jobs'
import { callbackJob } from './callback.ts'
import { routes } from './routes.ts'

export const videos = { name: 'videos', routes, jobs: [...videoJobs, callbackJob] as Job<never, App>[] }

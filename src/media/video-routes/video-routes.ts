/**
 * Videos: ordered by Studio or in the shape of OpenRouter, made in the background, read and fetched; and the webhooks of the vendors that make them.
 */
import { videoJobs } from '#media/video'
import type { Job } from '#platform/jobs'
import { callbackJob } from './callback.ts'
import { routes } from './routes.ts'

export const videos = { name: 'videos', routes, jobs: [...videoJobs, callbackJob] as Job<never>[] }

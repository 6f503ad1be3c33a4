/**
 * The routes of videos, ordered by Studio or in OpenRouter's shape, and the webhooks of the vendors that make them. Videos are made in the
 * background.
 */
import { videoJobs } from '#media/video'
import { callbackJob } from './callback.ts'
import { routes } from './routes.ts'

export const videos = { name: 'videos', routes, jobs: [...videoJobs, callbackJob] }

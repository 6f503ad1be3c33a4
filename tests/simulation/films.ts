/** Videos in a simulated world: the real acceptance, order, poller, fetch and settlement (`media/video`), by the real workers of `platform/jobs`. */
import { createHash } from 'node:crypto'
import type { App } from '#app'
import { type ProbedVideo, VideoError } from '#core/media'
import { type VideoModel, videoModels } from '#core/models'
import type { PaidCall } from '#core/paid'
import { handleVendorWebhook, planVideo, submitVideo } from '#media/video'
import type { SpoolFile } from '#platform/spool'
import { wholeEnd } from './film-vendor.ts'

export interface FilmBody {
  model: string
  film: string
}

export const filmModelOf = ({ models }: Pick<App, 'models'>): VideoModel => {
  const model = models.find('test/film')
  if (model?.kind !== 'video') throw new Error('no films in this world')
  return model
}

const orderOf = (model: VideoModel, prompt: string) => planVideo(model, { prompt }, (setting) => setting)

/** In micro-credits. */
export const filmCost = (app: Pick<App, 'models' | 'config'>): bigint => {
  const model = filmModelOf(app)
  const { resolution, seconds } = orderOf(model, 'x')
  return videoModels.worstCase(model, app.config.defaults, { resolution, seconds, withAudio: true })
}

/** As the routes of videos do. */
export async function orderFilm(app: App, call: PaidCall, { film }: FilmBody): Promise<string> {
  const model = filmModelOf(app)
  const { reply } = await submitVideo(app, {
    caller: call.caller,
    requestId: call.requestId,
    claim: call.claim,
    endpoint: call.endpoint,
    model,
    order: orderOf(model, film),
    replyOf: ({ id, providerJobId }) => JSON.stringify({ id, providerJobId }),
  })
  return reply
}

/** A vendor's webhook, as the route takes it. */
export async function nudgeFilm(app: App, address: string, body: unknown): Promise<boolean> {
  const [provider, jobId, token] = new URL(address).pathname.split('/').slice(3) as [string, string, string]
  return handleVendorWebhook(app, { provider, jobId, token, body })
}

/** The disk of a process, and what is measured on it. */
export function openFilmDisk(pause: (ms: number) => Promise<void>): Pick<App, 'spool' | 'videoProbe'> {
  const files = new Map<string, string>()
  let written = 0
  return {
    spool: {
      requireDisk: () => undefined,
      async write(source): Promise<SpoolFile> {
        const bytes = Buffer.concat(await Array.fromAsync(source as AsyncIterable<Uint8Array>))
        const path = `/spool/${++written}`
        files.set(path, bytes.toString())
        return {
          path,
          bytes: bytes.length,
          sha256: createHash('sha256').update(bytes).digest('hex'),
          [Symbol.asyncDispose]: async () => void files.delete(path),
        }
      },
      folder: () => Promise.reject(new Error('no folders here')),
      [Symbol.asyncDispose]: async () => {},
    },
    videoProbe: {
      async probe(path): Promise<ProbedVideo> {
        await pause(50)
        if (!files.get(path)?.endsWith(wholeEnd)) throw new VideoError('truncated')
        return {
          mediaType: 'video/mp4',
          codec: 'h264',
          ...{ width: 1280, height: 720, seconds: 4, hasAudio: true, fps: 24 },
        }
      },
    } as App['videoProbe'],
  }
}

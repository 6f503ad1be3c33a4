/** Videos, by both doors, and the webhook of the vendor who made one. */
import type { Body, Recorder } from './recorder.ts'
import type { Site } from './site.ts'

export async function askVideos(recorder: Recorder, { upstream }: Site): Promise<void> {
  const studio = '/v1/studio/video'
  const asked = { model: 'house/film', prompt: 'a cat' }
  const ask = (what: string, path: string, json: Body) =>
    recorder.ask(`video: ${what}`, 'POST', path, { json })
  const accepted = await ask('of an upstream', studio, asked)
  const pair = { id: accepted.id, providerJobId: accepted.providerJobId }
  await recorder.until(`/v1/videos/${pair.id}`, ({ status }) => status === 'completed')
  await ask('its status', `${studio}/status`, pair)
  await ask('its content', `${studio}/content`, pair)
  await ask('of another pair', `${studio}/status`, { ...pair, providerJobId: 'pj_another' })
  await ask('of sound that the model has not', studio, { ...asked, generateAudio: true })
  const { pathname } = new URL(upstream.callbackUrl!)
  const hook = { secret: null, json: { id: 'film-1' } }
  await recorder.ask('video: the webhook of its vendor', 'POST', pathname, hook)
  await recorder.ask('video: a webhook with another token', 'POST', `${pathname}x`, hook)
  const order = await ask('in the shape of OpenRouter', '/v1/videos', { ...asked, seconds: '5', user: 'u' })
  await recorder.until(`/v1/videos/${order.id}`, ({ status }) => status === 'completed')
  await recorder.ask('video: its job', 'GET', `/v1/videos/${order.id}`)
  await recorder.ask('video: its bytes', 'GET', `/v1/videos/${order.id}/content`)
  await recorder.ask('video: a part of its bytes', 'GET', `/v1/videos/${order.id}/content`, {
    headers: { range: 'bytes=0-9' },
  })
  await ask('of a size that is not made', '/v1/videos', { ...asked, size: '64x64' })
  await recorder.ask('video: models', 'GET', '/v1/videos/models')
}

/** Videos of the sandbox, made by its provider as the queue makes them: ordered, looked at, fetched. */
import sharp from 'sharp'
import type { VideoLook } from '#core/spec'
import type { Media, VideoOrder } from '#core/turn'
import { sandboxVideos } from '#sandbox'

const timeouts = {
  connectMs: 5_000,
  firstByteMs: 5_000,
  firstTokenMs: 5_000,
  idleMs: 5_000,
  totalMs: 120_000,
}

export const plainOrder: VideoOrder = {
  prompt: 'موج‌های دریا در شب',
  seconds: 1,
  resolution: '480p',
  aspectRatio: '16:9',
  withAudio: true,
  references: [],
}

/** Since 1970; moved by those who need a job to be older. */
export const clock = { nowMs: 1_800_000_000_000 }
export const provider = sandboxVideos({ nowMs: () => clock.nowMs })
export const signal = new AbortController().signal

export async function lookFor(more: Partial<VideoOrder> = {}, upstreamModel = 'video'): Promise<VideoLook> {
  const order = { ...plainOrder, ...more }
  const call = { order, upstreamModel, signal, timeouts, attemptId: 'one' }
  const ticket = await provider.submit(call)
  return { ticket, order: async () => order, upstreamModel, signal, timeouts }
}

/** When its job is done. */
export async function filmOf(more: Partial<VideoOrder> = {}): Promise<Buffer> {
  const look = await lookFor(more)
  clock.nowMs += 20_000
  return Buffer.concat(await Array.fromAsync(provider.fetch(look)))
}

/** A picture of one colour. */
export const picture = async (background: string, width = 320, height = 320): Promise<Media> => ({
  mediaType: 'image/png',
  data: await sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer(),
})

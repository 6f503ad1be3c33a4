/** Asks the rooms of videos. */
import { expect } from 'vitest'
import { UpstreamError, type VideoProgress, type VideoTicket } from '#core/spec'
import type { VideoOrder } from '#core/turn'
import type { GuardedClient } from '#platform/net'
import type { VideoClient } from '#providers/kit'
import { patient } from './asking.ts'
import { secret } from './media-asking.ts'

export type OpenRoom = (address: { baseUrl: string; apiKey: string }, net: GuardedClient) => VideoClient

export interface Asking {
  signal?: AbortSignal
  timeouts?: typeof patient
  upstreamModel?: string
  callbackUrl?: string
}

export interface Filmed {
  ticket?: VideoTicket
  progress?: VideoProgress
  error?: UpstreamError
  /** What of a file came before its end. */
  bytes: Buffer
}

export const film: VideoOrder = {
  prompt: 'گربه‌ای روی بام راه می‌رود',
  seconds: 4,
  resolution: '720p',
  aspectRatio: '16:9',
  references: [],
}

export const lookOf = (
  ticket: VideoTicket,
  { signal = new AbortController().signal, timeouts = patient, upstreamModel = 'owner/app/film' }: Asking,
) => ({ ticket, upstreamModel, signal, timeouts })

async function outcome(work: (heard: Filmed) => Promise<void>): Promise<Filmed> {
  const heard: Filmed = { bytes: Buffer.alloc(0) }
  try {
    await work(heard)
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    heard.error = error
    const told = JSON.stringify([error.message, error.detail, error.inside])
    expect(told).not.toContain(secret)
  }
  return heard
}

export const submitting = (
  room: VideoClient,
  more: Partial<VideoOrder> = {},
  asking: Asking = {},
): Promise<Filmed> =>
  outcome(async (heard) => {
    const { callbackUrl } = asking
    heard.ticket = await room.submit({
      order: { ...film, ...more },
      attemptId: 'a-1',
      ...lookOf({ id: '' }, asking),
      ...(callbackUrl !== undefined && { callbackUrl }),
    })
  })

export const looking = (room: VideoClient, ticket: VideoTicket, asking: Asking = {}): Promise<Filmed> =>
  outcome(async (heard) => {
    heard.progress = await room.look(lookOf(ticket, asking))
  })

export const fetching = (room: VideoClient, ticket: VideoTicket, asking: Asking = {}): Promise<Filmed> =>
  outcome(async (heard) => {
    for await (const chunk of room.fetch(lookOf(ticket, asking)))
      heard.bytes = Buffer.concat([heard.bytes, chunk])
  })

import type { VideoOrder } from '#core/turn'
import type { Timeouts, UpstreamError } from './spec.ts'

/**
 * The interface of a provider room for videos, which are made by jobs that last minutes. A room knows its vendor's wire and nothing of queues,
 * money or storage.
 */
export interface VideoProvider {
  /**
   * Submits the order once: no retry, no failover. Resolves with the vendor's id of the job. Throws `UpstreamError` for every failure; `executed` is
   * false only where it is certain that no job was started: after a lost answer a job may be running that can only be found by its webhook. Aborting
   * `signal` ends the request, never the job.
   */
  submit(call: VideoCall): Promise<VideoTicket>
  /**
   * Returns the state of a job. This costs nothing and may be repeated. A job that has failed is a result; throws `UpstreamError` where the request
   * itself failed, `not_found` where the vendor knows no such job.
   */
  look(call: VideoLook): Promise<VideoProgress>
  /**
   * The bytes of a completed job, as they come; may be repeated. Ending the iteration ends the request. Throws `UpstreamError`, also
   * while it is read: `cut` where the bytes end before their declared length.
   */
  fetch(call: VideoLook): AsyncIterable<Uint8Array>
  /** Stops a job if the vendor can; best effort, never throws. */
  cancel?(call: VideoLook): Promise<void>
  /**
   * The vendor's id of the job that a webhook of this vendor is about, by its body: a claim, which only a `look` confirms. Undefined where the body
   * is not of this vendor.
   */
  jobOf?(body: unknown): string | undefined
}

/** The vendor's name of a job: at most 500 characters. */
export interface VideoTicket {
  id: string
}

export interface VideoCall {
  order: VideoOrder
  /** The model's name at the upstream. */
  upstreamModel: string
  signal: AbortSignal
  timeouts: Timeouts
  /** Unique to this attempt; sent as the idempotency key to upstreams that accept one. */
  attemptId: string
  traceparent?: string | undefined
  /** The address for the vendor's webhook, for wires that take one; absent where this server has no public address. */
  callbackUrl?: string | undefined
}

export interface VideoLook {
  ticket: VideoTicket
  /** Reads the order again, for a provider that keeps nothing between two calls, such as the sandbox. */
  order?: () => Promise<VideoOrder>
  upstreamModel: string
  signal: AbortSignal
  timeouts: Timeouts
}

export type VideoProgress =
  | { status: 'queued'; position?: number }
  /** `progress` is in per cent, if the vendor reports it. */
  | { status: 'processing'; progress?: number }
  /** `costUsd`: the cost that the vendor reports, a claim. */
  | { status: 'completed'; costUsd?: number }
  | { status: 'failed'; fault: UpstreamError }

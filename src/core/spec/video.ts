import type { VideoOrder } from '#core/turn'
import type { Timeouts, UpstreamError } from './spec.ts'

/**
 * The interface of a provider room for videos, which are made by jobs that last minutes. A room knows its vendor's wire and nothing of queues,
 * money or storage.
 */
export interface VideoProvider {
  /**
   * Submits the order once: no retry, no failover. Resolves with the vendor's id of the job. Throws `UpstreamError` for every failure;
   * `executed` is false only where it is certain that no job was started: after a lost answer one may be running that nobody can find but
   * by its webhook. Aborting `signal` ends the request, never the job.
   */
  submit(call: VideoCall): Promise<VideoTicket>
  /**
   * Looks at a job. It costs nothing and may be repeated. A job that has failed is a result; throws `UpstreamError` where the look itself
   * failed, `not_found` where the vendor knows no such job.
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
   * The vendor's id of the job that a webhook of this vendor is about, by its body: a claim, which only a `look` confirms. Undefined where
   * the body is none of this vendor.
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
  /** Where the vendor's webhook goes, for wires that take an address; absent where this server has no public one. */
  callbackUrl?: string | undefined
}

export interface VideoLook {
  ticket: VideoTicket
  /** The order again, read when it is called for: for a provider that keeps nothing between two calls, as the sandbox does. */
  order?: () => Promise<VideoOrder>
  upstreamModel: string
  signal: AbortSignal
  timeouts: Timeouts
}

export type VideoProgress =
  | { status: 'queued'; position?: number }
  /** Per cent, if the vendor says it. */
  | { status: 'processing'; progress?: number }
  /** `costUsd`: what the vendor says it cost, a claim. */
  | { status: 'completed'; costUsd?: number }
  | { status: 'failed'; fault: UpstreamError }

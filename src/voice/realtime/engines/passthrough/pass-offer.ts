/** Passes a caller's offer to an upstream, and hangs up the call there. */
import { setTimeout as pause } from 'node:timers/promises'
import { failureOf } from '#core/inference'
import type { RelayModel } from '#core/models'
import type { Upstream } from '#core/routing'
import { type PassthroughCalls, type PassthroughSetup, type Timeouts, UpstreamError } from '#core/spec'
import type { PassthroughApp } from '../../app.ts'
import type { UpstreamCall } from '../../parts.ts'
import { upstreamsOf } from '../relay/of-model.ts'

/** A call that an upstream has answered. */
export interface PassedCall extends UpstreamCall {
  calls: PassthroughCalls
  timeouts: Timeouts
  /** The answer in SDP. */
  answer: string
  /** The deployment as `provider/model`, for the operator. */
  deployment: string
}

/** The caller waits meanwhile, so an upstream that takes longer is skipped. */
const maxMs = 10_000
const hangUpMs = 3_000
const againMs = 500

export const shortenedTimeouts = (timeouts: Timeouts, ms: number): Timeouts => ({
  connectMs: Math.min(timeouts.connectMs, ms),
  firstByteMs: Math.min(timeouts.firstByteMs, ms),
  firstTokenMs: Math.min(timeouts.firstTokenMs, ms),
  idleMs: Math.min(timeouts.idleMs, ms),
  totalMs: Math.min(timeouts.totalMs, 2 * ms),
})

/**
 * Passes the offer to the first deployment that answers. Nothing is paid yet: a call whose answer is not sent connects to nobody. Where no deployment
 * answers, throws the failure that `failureOf` makes.
 */
export async function passOffer(
  app: Pick<PassthroughApp, 'inference'>,
  model: RelayModel,
  { setup, offer }: { setup: PassthroughSetup; offer: string },
): Promise<PassedCall> {
  let failure: UpstreamError | undefined
  for (const { deployment, providerId, provider, upstreamModel, timeouts: usual } of upstreamsOf(
    app,
    model,
  )) {
    const { passthrough: calls } = provider
    if (!calls) continue
    const timeouts = shortenedTimeouts(usual, maxMs)
    const { signal } = new AbortController()
    try {
      const { sdp, callId } = await calls.answer({ upstreamModel, setup, offer, timeouts, signal })
      return { provider: providerId, id: callId, calls, timeouts, answer: sdp, deployment }
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      failure = error
    }
  }
  throw failureOf(failure ?? new UpstreamError('connect', { detail: 'no upstream has the model' }))
}

export const hangUp = (calls: PassthroughCalls, callId: string, usual: Timeouts): Promise<void> =>
  calls.hangUp({
    callId,
    timeouts: shortenedTimeouts(usual, hangUpMs),
    signal: AbortSignal.timeout(2 * hangUpMs),
  })

/** Hangs up, with a second try if the first one fails. */
export async function hangUpWithRetry(
  calls: PassthroughCalls,
  callId: string,
  usual: Timeouts,
): Promise<void> {
  try {
    await hangUp(calls, callId, usual)
  } catch {
    await pause(againMs)
    await hangUp(calls, callId, usual)
  }
}

/** Returns a function that hangs up calls of dead processes at a provider that is still configured. It throws `UpstreamError`. */
export const createHangUp =
  (upstreams: ReadonlyMap<string, Upstream>) =>
  async ({ provider, id }: UpstreamCall): Promise<void> => {
    const upstream = upstreams.get(provider)
    if (!upstream?.realtime?.passthrough)
      throw new UpstreamError('connect', { executed: false, detail: 'its provider is no longer configured' })
    await hangUp(upstream.realtime.passthrough, id, upstream.timeouts)
  }

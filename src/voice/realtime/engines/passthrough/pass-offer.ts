/** Hands the offer of a caller to an upstream, and ends its call there. */
import { setTimeout as pause } from 'node:timers/promises'
import type { App } from '#app'
import { failureOf } from '#core/inference'
import type { RelayModel } from '#core/models'
import type { Upstream } from '#core/routing'
import { type PassthroughCalls, type PassthroughSetup, type Timeouts, UpstreamError } from '#core/spec'
import type { UpstreamCall } from '../../parts.ts'
import { upstreamsOf } from '../relay/of-model.ts'

/** One that answered. */
export interface PassedCall extends UpstreamCall {
  calls: PassthroughCalls
  timeouts: Timeouts
  /** SDP. */
  answer: string
  /** `provider/model`, for the operator. */
  deployment: string
}

/** Somebody waits to hear it ring: an upstream that takes longer is passed by. */
const maxMs = 10_000
const hangUpMs = 3_000
const againMs = 500

export const shortened = (timeouts: Timeouts, ms: number): Timeouts => ({
  connectMs: Math.min(timeouts.connectMs, ms),
  firstByteMs: Math.min(timeouts.firstByteMs, ms),
  firstTokenMs: Math.min(timeouts.firstTokenMs, ms),
  idleMs: Math.min(timeouts.idleMs, ms),
  totalMs: Math.min(timeouts.totalMs, 2 * ms),
})

/** Nobody pays for it yet: a call without its answer connects to nobody. Throws what `failureOf` says where no deployment answers. */
export async function passOffer(
  app: Pick<App, 'inference'>,
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
    const timeouts = shortened(usual, maxMs)
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
  calls.hangUp({ callId, timeouts: shortened(usual, hangUpMs), signal: AbortSignal.timeout(2 * hangUpMs) })

/** A second time where the first one fails. */
export async function hangUpSurely(calls: PassthroughCalls, callId: string, usual: Timeouts): Promise<void> {
  try {
    await hangUp(calls, callId, usual)
  } catch {
    await pause(againMs)
    await hangUp(calls, callId, usual)
  }
}

/** Hangs up where the provider is connected by its id: for calls of processes that died. Throws `UpstreamError`. */
export const hangingUp =
  (upstreams: ReadonlyMap<string, Upstream>) =>
  async ({ provider, id }: UpstreamCall): Promise<void> => {
    const upstream = upstreams.get(provider)
    if (!upstream?.realtime?.passthrough)
      throw new UpstreamError('connect', { executed: false, detail: 'its provider is no longer configured' })
    await hangUp(upstream.realtime.passthrough, id, upstream.timeouts)
  }

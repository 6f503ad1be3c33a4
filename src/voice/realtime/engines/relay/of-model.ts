/** Reads what the engine `relay` needs from a model of the catalogue. */
import { type Cost, type RelayModel, relayPricing, relayTranscriptionCost } from '#core/models'
import type { PaidApp } from '#core/paid'
import { orderDeployments } from '#core/routing'
import type { SessionSettings } from '../../parts.ts'
import { type RelayPrice, worstCaseOfResponse } from './price.ts'
import type { RelayUpstream } from './session-link.ts'
import { maxTurnSeconds } from './worst.ts'

/** A model of the catalogue, as the engine needs it. */
export interface RelayedModel extends RelayPrice {
  /** The id of the model on this server. */
  id: string
  /** The voice, where the client names none that the model has. */
  voice?: string | undefined
  voices: readonly string[]
  /** The upstream's model that transcribes the user; absent: nothing is transcribed. */
  transcription?: { model: string; cost(seconds: number): Cost } | undefined
}

/** Its deployments in the order in which they are tried, each with the provider that has it. */
export function upstreamsOf(
  { inference }: Pick<PaidApp, 'inference'>,
  { deployments }: RelayModel,
): (RelayUpstream & { providerId: string })[] {
  return orderDeployments(deployments, Math.random).flatMap(({ id, provider, model: upstreamModel }) => {
    const upstream = inference.upstreamOf(provider)
    if (!upstream?.realtime) return []
    const { realtime, timeouts } = upstream
    return [{ deployment: id, providerId: provider, provider: realtime, upstreamModel, timeouts }]
  })
}

export function relayModelOf({ config }: Pick<PaidApp, 'config'>, model: RelayModel): RelayedModel {
  const { voices, transcriptionModel, maxInputTokens, maxOutputTokens } = model.relay
  const { defaults } = config
  return {
    id: model.id,
    ...{ maxInputTokens, maxOutputTokens, voices, voice: voices[0] },
    pricing: relayPricing(model, defaults),
    ...(transcriptionModel !== undefined && {
      transcription: {
        model: transcriptionModel,
        cost: (seconds) => relayTranscriptionCost(model, defaults, seconds),
      },
    }),
  }
}

/** The most that a turn may cost, in micro-credits, with its transcription and its answer. */
export function worstCaseOfRelayTurn(
  app: Pick<PaidApp, 'config'>,
  model: RelayModel,
  session: Pick<SessionSettings, 'instructions' | 'tools'>,
): bigint {
  const relayed = relayModelOf(app, model)
  return (
    worstCaseOfResponse(relayed, session) + (relayed.transcription?.cost(maxTurnSeconds).microcredits ?? 0n)
  )
}

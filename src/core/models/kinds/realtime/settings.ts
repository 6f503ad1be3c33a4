/** Models for calls in the configuration file. */
import { type Static, Type } from 'typebox'
import { type ConfigNode, readingRules, refusals, refuseConfig, type Sentence } from '#platform/config'
import { commonFields, type NamedEntry, readNamedEntry } from '../named.ts'
import type {
  RealtimeEngine,
  RealtimePricing,
  RelayModel,
  RelayPrices,
  RelaySettings,
} from './realtime-model.ts'
import {
  RealtimePricingSchema,
  RelaySchema,
  readPipelinePrice,
  readRelay,
  readRelayPrices,
} from './relay-settings.ts'

export type RealtimeEntry = NamedEntry & { kind: 'realtime' } & (PipelineEntry | RelayEntry)

interface PipelineEntry {
  engine: 'pipeline'
  /** The models of the pipeline; absent: those of `defaults`, else the first of their kinds. */
  textModel?: string
  transcriptionModel?: string
  speechModel?: string
  pricing: RealtimePricing
}

interface RelayEntry {
  engine: RelayModel['engine']
  relay: RelaySettings
  pricing: RelayPrices
}

const modelId = (en: string, fa: string) => Type.Optional(Type.String(readingRules({ expected: { en, fa } })))

const { deployments, ...ownNamed } = commonFields

const engineExpected = {
  en: 'pipeline, relay or passthrough',
  fa: 'pipeline یا relay یا passthrough',
}

export const RealtimeEntrySchema = Type.Object({
  ...ownNamed,
  engine: Type.Unsafe<RealtimeEngine>({
    type: 'string',
    pattern: '^(pipeline|relay|passthrough)$',
    default: 'pipeline',
    description:
      'pipeline: a transcription, a text and a speech model work together; relay: a model of a provider hears and speaks by itself; passthrough: so does it, and over WebRTC its sound does not run through this server, which can only hang up when the credits end.',
    ...readingRules({ expected: engineExpected }),
  }),
  text_model: modelId('the id of a text model', 'شناسه‌ی یک مدل متنی'),
  transcription_model: modelId('the id of a transcription model', 'شناسه‌ی یک مدل رونویسی'),
  speech_model: modelId('the id of an audio model that speaks', 'شناسه‌ی یک مدل صدا که حرف می‌زند'),
  /** The members of the engines `relay` and `passthrough`. */
  deployments: Type.Optional(deployments),
  realtime: RelaySchema,
  pricing: RealtimePricingSchema,
})

const pipelineFields = ['text_model', 'transcription_model', 'speech_model'] as const
const relayFields = ['deployments', 'realtime'] as const

const wantsPipeline: Sentence = {
  en: 'engine: pipeline, or leave it out: the model of a relay hears and speaks by itself',
  fa: 'engine: pipeline، یا آن را بردارید: مدل relay خودش می‌شنود و حرف می‌زند',
}
const wantsRelay: Sentence = {
  en: 'engine: relay (or passthrough) beside it, or leave it out: a pipeline asks the providers of its models',
  fa: 'کنار آن engine: relay (یا passthrough)، یا آن را بردارید: pipeline از ارائه‌دهندگان مدل‌هایش می‌پرسد',
}
const deploymentsMissing: Sentence = {
  en: 'write at least one of { provider, model }, whose provider has the dialect realtime or gemini',
  fa: 'دست‌کم یک { provider, model } بنویسید که ارائه‌دهنده‌اش گویش realtime یا gemini دارد',
}

type RealtimeEntryInput = Static<typeof RealtimeEntrySchema>

export function readRealtimeEntry(typed: RealtimeEntryInput, node: ConfigNode): RealtimeEntry {
  return typed.engine === 'pipeline' ? pipelineEntry(typed, node) : relayEntry(typed, typed.engine, node)
}

function pipelineEntry(typed: RealtimeEntryInput, node: ConfigNode): RealtimeEntry {
  for (const name of relayFields) node.find(name)?.refuseValue(wantsRelay)
  const { text_model, transcription_model, speech_model } = typed
  return {
    ...readNamedEntry({ ...typed, deployments: [] }, node),
    kind: 'realtime',
    engine: 'pipeline',
    ...(text_model !== undefined && { textModel: text_model }),
    ...(transcription_model !== undefined && { transcriptionModel: transcription_model }),
    ...(speech_model !== undefined && { speechModel: speech_model }),
    pricing: readPipelinePrice(typed.pricing, node),
  }
}

function relayEntry(
  typed: RealtimeEntryInput,
  engine: RelayModel['engine'],
  node: ConfigNode,
): RealtimeEntry {
  for (const name of pipelineFields) node.find(name)?.refuseValue(wantsPipeline)
  const { deployments: upstreams, realtime } = typed
  if (!upstreams) refuseConfig(refusals.missing(node.sourcePosition('deployments'), deploymentsMissing))
  const relay = readRelay(realtime)
  return {
    ...readNamedEntry({ ...typed, deployments: upstreams }, node),
    kind: 'realtime',
    engine,
    relay,
    pricing: readRelayPrices(typed.pricing, node, relay.transcriptionModel !== undefined),
  }
}

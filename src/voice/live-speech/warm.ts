/** Makes ready what the first turn of a call would wait for. */
import type { AudioModel, Model, NamedModel, TranscriptionModel } from '#core/models'
import type { PaidApp } from '#core/paid'
import type { Upstream } from '#core/routing'
import { decodeSound, encodeWhole, type SoundFormat } from '#core/sound'
import type { Warmable } from '#core/spec'
import { speechSampleRate } from '#media/transcription'
import { planOf } from './hear-live.ts'
import { liveFormatOf } from './speak-live.ts'

/** The models that work in a call. */
export interface WarmedModels {
  transcription: TranscriptionModel
  /** The models that answer and speak; undefined in a call without answers. */
  answering?: { text: Model; speech: AudioModel } | undefined
}

/**
 * Opens connections to the upstreams that a first turn asks first, and loads what encodes and decodes its sound. Nothing is asked of an upstream, so
 * that nothing is to be paid. Never rejects: the turn itself meets what is wrong.
 */
export async function warmModels(
  app: Pick<PaidApp, 'inference'>,
  { transcription, answering }: WarmedModels,
): Promise<void> {
  const clients = [
    ...firstUpstreams(app, transcription).map(({ orders }) => orders.transcription),
    ...firstUpstreams(app, answering?.text).map(({ provider }) => provider),
    ...firstUpstreams(app, answering?.speech).map(({ orders }) => orders.audio),
  ]
  await Promise.allSettled([
    ...clients.map(async (client: Warmable | undefined) => await client?.warm?.()),
    warmEncoder(transcription),
    answering && warmDecoder(answering.speech),
  ])
}

/** The most deployments of one model that are made ready: one of them is asked. */
const maxWarmed = 3

/** The upstreams of the deployments that are tried first. */
function firstUpstreams(
  { inference }: Pick<PaidApp, 'inference'>,
  { deployments }: Pick<NamedModel, 'deployments'> = { deployments: [] },
): Upstream[] {
  const first = Math.min(...deployments.map(({ priority }) => priority))
  const providers = deployments.filter(({ priority }) => priority === first).map(({ provider }) => provider)
  return [...new Set(providers)].slice(0, maxWarmed).flatMap((id) => inference.upstreamOf(id) ?? [])
}

async function warmEncoder(model: TranscriptionModel): Promise<void> {
  const { encoding } = planOf(model, 1, {}).plan
  await once(`encode ${encoding}`, () => silenceIn(encoding))
}

async function warmDecoder(model: AudioModel): Promise<void> {
  const format = liveFormatOf(model)
  // It has no decoder.
  if (format === 'pcm') return
  await once(`decode ${format}`, async () => {
    for await (const _ of decodeSound([await silenceIn(format)]));
  })
}

/** What was loaded in this process: it stays so. */
const loaded = new Set<string>()

async function once(name: string, load: () => Promise<unknown>): Promise<void> {
  if (loaded.has(name)) return
  loaded.add(name)
  await load()
}

/** A tenth of a second. */
async function silenceIn(format: SoundFormat): Promise<Uint8Array> {
  const samples = new Float32Array(speechSampleRate / 10)
  const { bytes } = await encodeWhole([{ rate: speechSampleRate, samples }], { format, maxBytes: 1 << 20 })
  return bytes
}

/** Creates one client for each wire of a provider and joins them into the provider that routing calls. */

import { type Catalogue, type Dialect, isWire, type ProviderConfig } from '#core/models'
import { chooseWire, type Upstream } from '#core/routing'
import type { AudioProvider, LiveTranscriber, RealtimeProvider, TextProvider } from '#core/spec'
import type { Wire } from '#core/turn'
import type { Config } from '#platform/config'
import type { Log } from '#platform/log'
import { type GuardedClient, type GuardedNet, openGuardedClient } from '#platform/net'
import type { Egress, Outbound } from '#platform/proxy'
import { chatCompletionsProvider } from '#providers/chat-completions'
import { deepgramTranscription } from '#providers/deepgram'
import { elevenLabsSpeech, elevenLabsTranscription } from '#providers/elevenlabs'
import { embeddingsProvider } from '#providers/embeddings'
import { falImages, falVideos } from '#providers/fal'
import { geminiImages, geminiSpeech, geminiVideos } from '#providers/gemini'
import { geminiRealtime } from '#providers/gemini-live'
import { type ImageClient, imagesProvider, type PictureAddress } from '#providers/images'
import type { LinkedAddress, UpstreamAddress, VideoClient } from '#providers/kit'
import { messagesProvider } from '#providers/messages'
import { chatAnswers, chatImages } from '#providers/modalities'
import { openRouterImages, openRouterTranscription, openRouterVideos } from '#providers/openrouter'
import { realtimeProvider } from '#providers/realtime'
import { responsesProvider } from '#providers/responses'
import { sherpaTranscription } from '#providers/sherpa'
import { speechProvider } from '#providers/speech'
import { type TranscriptionClient, transcriptionsProvider } from '#providers/transcriptions'
import {
  sandboxAudio,
  sandboxEmbeddings,
  sandboxImages,
  sandboxProvider,
  sandboxTranscription,
  sandboxVideos,
} from '#sandbox'

export { sandboxModels } from '#sandbox'

type TextClient = TextProvider & AsyncDisposable
type RealtimeClient = RealtimeProvider & AsyncDisposable & Partial<Pick<TextProvider, 'ping'>>
type SpeechClient = AudioProvider & AsyncDisposable & Pick<TextProvider, 'ping'>

const textClients: Record<Wire, (address: UpstreamAddress & { id: string }) => TextClient> = {
  chat: chatCompletionsProvider,
  responses: responsesProvider,
  messages: messagesProvider,
}

/** Clients for pictures; a provider uses the first whose dialect it has. */
const imageClients = {
  images: imagesProvider,
  openrouter: openRouterImages,
  gemini: geminiImages,
  fal: falImages,
  modalities: chatImages,
} satisfies Partial<Record<Dialect, (address: PictureAddress, net: GuardedClient) => ImageClient>>

/** Clients for speech; a provider uses the first whose dialect it has. */
const speechClients = {
  speech: speechProvider,
  openrouter: speechProvider,
  elevenlabs: elevenLabsSpeech,
  gemini: geminiSpeech,
} satisfies Partial<Record<Dialect, (address: UpstreamAddress) => SpeechClient>>

/** Clients that answer recordings; a provider that has one uses it for them, whatever speaks its texts. */
const spokenAnswerClients = {
  modalities: chatAnswers,
} satisfies Partial<Record<Dialect, (address: UpstreamAddress) => SpeechClient>>

/** Clients for transcription; a provider uses the first whose dialect it has. */
const transcriptionClients = {
  transcriptions: transcriptionsProvider,
  openrouter: openRouterTranscription,
  deepgram: deepgramTranscription,
  elevenlabs: elevenLabsTranscription,
} satisfies Partial<
  Record<Dialect, (address: UpstreamAddress) => TranscriptionClient & Partial<LiveTranscriber>>
>

/** Clients for realtime calls; a provider uses the first whose dialect it has. */
const realtimeClients = {
  realtime: realtimeProvider,
  gemini: geminiRealtime,
} satisfies Partial<Record<Dialect, (address: UpstreamAddress) => RealtimeClient>>

/** Clients for videos; a provider uses the first whose dialect it has. */
const videoClients = {
  openrouter: openRouterVideos,
  gemini: geminiVideos,
  fal: falVideos,
} satisfies Partial<Record<Dialect, (address: LinkedAddress, net: GuardedClient) => VideoClient>>

/** The guarded client of a config, for addresses that users name. It goes through the environment's proxy only where `net.use_proxy` says so. */
export function openNet({ net }: Pick<Config, 'net'>, outbound: Outbound, log?: Log): GuardedNet {
  const own = net.usesProxy ? {} : ({ proxy: 'direct' } as const)
  return openGuardedClient({
    allowedCidrs: net.allowedCidrs,
    egress: (url) => outbound.egressTo(url, own),
    ...(log && { log }),
  })
}

/** Connects every provider of the catalogue. Pictures and videos that a provider only links to are fetched by `net`. */
export function connect(
  models: Catalogue,
  net: GuardedClient,
  outbound: Outbound,
  opening: AsyncDisposableStack,
): Map<string, Upstream> {
  const upstreams = new Map<string, Upstream>()
  for (const entry of models.providers()) {
    const { id, baseUrl, apiKey, headers, dialects, timeouts } = entry
    const { onDisconnect, maxDrains, passTraceparent, takesLinks } = entry
    const key = apiKey === undefined ? {} : { apiKey }
    const egress = (url: string | URL) => outbound.egressTo(url, entry)
    const connected =
      id === 'sandbox'
        ? {
            provider: sandboxProvider(),
            orders: {
              image: sandboxImages(),
              audio: sandboxAudio(),
              embedding: sandboxEmbeddings(),
              transcription: sandboxTranscription(),
              video: sandboxVideos(),
            },
          }
        : entry.sherpa
          ? sherpaClients(entry.sherpa, opening)
          : openClients(dialects, { id, baseUrl, headers, ...key }, egress, net, opening)
    upstreams.set(id, {
      ...connected,
      timeouts,
      onDisconnect,
      ...(maxDrains !== undefined && { maxDrains }),
      ...(passTraceparent && { passTraceparent }),
      ...(takesLinks !== undefined && { takesLinks }),
    })
  }
  return upstreams
}

/** A provider that transcribes in a child process, which starts with the first recording. */
function sherpaClients(
  place: NonNullable<ProviderConfig['sherpa']>,
  opening: AsyncDisposableStack,
): Pick<Upstream, 'provider' | 'orders'> {
  const transcription = opening.use(sherpaTranscription(place))
  return { provider: combineText([], transcription.ping), orders: { transcription } }
}

function openClients(
  dialects: readonly Dialect[],
  named: UpstreamAddress & { id: string },
  egressTo: (url: string | URL) => Egress,
  net: GuardedClient,
  opening: AsyncDisposableStack,
): Pick<Upstream, 'provider' | 'orders' | 'live' | 'realtime'> {
  const address = { ...named, egress: egressTo(named.baseUrl) }
  const wires = dialects.filter(isWire)
  const texts = wires.map((wire) => opening.use(textClients[wire](address)))
  const embedding = wires.includes('chat') && opening.use(embeddingsProvider(address))
  const openImage = firstMatching(imageClients, dialects)
  const links = (address.egress.proxy || address.egress.trust) && { egressOfLinks: egressTo }
  const image = openImage && opening.use(openImage({ ...address, ...links }, net))
  const [speaks, answers] = [speechClients, spokenAnswerClients].map((table) => {
    const openClient = firstMatching<(address: UpstreamAddress) => SpeechClient>(table, dialects)
    return openClient && opening.use(openClient(address))
  })
  const audio = combineSpeech(speaks, answers)
  const openTranscription = firstMatching(transcriptionClients, dialects)
  const transcription: (TranscriptionClient & Partial<LiveTranscriber>) | undefined =
    openTranscription && opening.use(openTranscription(address))
  const openRealtime = firstMatching(realtimeClients, dialects)
  const realtime: RealtimeClient | undefined = openRealtime && opening.use(openRealtime(address))
  const openVideo = firstMatching(videoClients, dialects)
  const video = openVideo && opening.use(openVideo({ ...address, ...links }, net))
  const ping = wires.length === 0 ? (image ?? audio ?? video ?? transcription ?? realtime)?.ping : undefined
  return {
    provider: combineText(texts, ping),
    orders: {
      ...(image && { image }),
      ...(audio && { audio }),
      ...(embedding && { embedding }),
      ...(transcription && { transcription }),
      ...(video && { video }),
    },
    ...(transcription?.open && { live: { open: transcription.open } }),
    ...(realtime && { realtime }),
  }
}

const firstMatching = <Opened>(
  table: Partial<Record<Dialect, Opened>>,
  dialects: readonly Dialect[],
): Opened | undefined =>
  Object.entries(table).find(([dialect]) => dialects.some((own) => own === dialect))?.[1]

function combineSpeech(
  speaks?: SpeechClient,
  answers?: SpeechClient,
): Pick<SpeechClient, 'speak' | 'ping'> | undefined {
  if (!speaks || !answers) return speaks ?? answers
  return {
    speak: (call) => (call.order.question ? answers : speaks).speak(call),
    ping: speaks.ping,
  }
}

/** `ping` is given for a provider that has no wire of text. */
function combineText(all: readonly TextProvider[], ping?: TextProvider['ping']): TextProvider {
  const byWire = new Map(all.flatMap((client) => client.wires.map((wire) => [wire, client] as const)))
  const wires = [...byWire.keys()]
  const clientFor = (own: Wire): TextProvider => byWire.get(chooseWire(wires, own))!
  return {
    wires,
    generate: (call, sink) => clientFor(call.turn.source.wire).generate(call, sink),
    ping: ping ?? ((signal) => clientFor('chat').ping(signal)),
  }
}

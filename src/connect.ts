/** Creates one client for each wire of a provider and joins them into the provider that routing calls. */

import { type Catalogue, type Dialect, isWire, type OrderProviders, type ProviderConfig } from '#core/models'
import { chooseWire, type Upstream } from '#core/routing'
import type {
  AudioProvider,
  EmbeddingProvider,
  LiveTranscriber,
  RealtimeProvider,
  TextProvider,
} from '#core/spec'
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
import { type ImageClient, imagesProvider } from '#providers/images'
import {
  type LinkedAddress,
  type SigningAddress,
  signerOf,
  type UpstreamAddress,
  type VideoClient,
} from '#providers/kit'
import { messagesProvider } from '#providers/messages'
import { chatAnswers, chatImages } from '#providers/modalities'
import { openRouterImages, openRouterTranscription, openRouterVideos } from '#providers/openrouter'
import { realtimeProvider } from '#providers/realtime'
import { responsesProvider } from '#providers/responses'
import { sherpaTranscription } from '#providers/sherpa'
import { speechProvider } from '#providers/speech'
import { type TranscriptionClient, transcriptionsProvider } from '#providers/transcriptions'
import { sandboxOrders, sandboxProvider } from '#sandbox'

export { sandboxModels } from '#sandbox'

type TextClient = TextProvider & AsyncDisposable
type Pingable = Partial<Pick<TextProvider, 'ping'>>
type RealtimeClient = RealtimeProvider & AsyncDisposable & Pingable
type SpeechClient = AudioProvider & AsyncDisposable & Pick<TextProvider, 'ping'>
type HearingClient = TranscriptionClient & Partial<LiveTranscriber>

type ClientAddress = LinkedAddress & Pick<SigningAddress, 'isOneOfSeveralSigners'> & { id: string }

/** A provider whose clients are opened: `net` fetches the pictures and videos that it only links to, `opening` closes the clients. */
interface OpeningProvider {
  dialects: readonly Dialect[]
  address: ClientAddress
  net: GuardedClient
  opening: AsyncDisposableStack
}

const textClients: Record<Wire, (address: ClientAddress) => TextClient> = {
  chat: chatCompletionsProvider,
  responses: responsesProvider,
  messages: messagesProvider,
}

/** Clients for speech. */
const openSpeech = byDialect<SpeechClient>({
  speech: speechProvider,
  openrouter: speechProvider,
  elevenlabs: elevenLabsSpeech,
  gemini: geminiSpeech,
})

/** Clients that answer recordings; a provider that has one uses it for them, whatever speaks its texts. */
const openSpokenAnswers = byDialect<SpeechClient>({ modalities: chatAnswers })

/**
 * Clients of the kinds whose orders are filled whole, by the dialects of providers. The compiler asks for a member of every kind; the first client of
 * a provider without a wire of text is the one that is pinged.
 */
const orderClients = {
  image: byDialect<ImageClient>({
    images: imagesProvider,
    openrouter: openRouterImages,
    gemini: geminiImages,
    fal: falImages,
    modalities: chatImages,
  }),
  audio: (provider: OpeningProvider) => combineSpeech(openSpeech(provider), openSpokenAnswers(provider)),
  video: byDialect<VideoClient>({ openrouter: openRouterVideos, gemini: geminiVideos, fal: falVideos }),
  transcription: byDialect<HearingClient>({
    transcriptions: transcriptionsProvider,
    openrouter: openRouterTranscription,
    deepgram: deepgramTranscription,
    elevenlabs: elevenLabsTranscription,
  }),
  embedding: byDialect<EmbeddingProvider & AsyncDisposable & Pingable>({ chat: embeddingsProvider }),
} satisfies {
  [Kind in keyof OrderProviders]: (provider: OpeningProvider) => (OrderProviders[Kind] & Pingable) | undefined
}

type OrderClients = {
  [Kind in keyof typeof orderClients]?: NonNullable<ReturnType<(typeof orderClients)[Kind]>>
}

/** Clients for realtime calls. */
const openRealtime = byDialect<RealtimeClient>({ realtime: realtimeProvider, gemini: geminiRealtime })

/** Opens the client of a provider: the first of the table whose dialect the provider has. */
function byDialect<Client extends AsyncDisposable>(
  table: Partial<Record<Dialect, (address: ClientAddress, net: GuardedClient) => Client>>,
): (provider: OpeningProvider) => Client | undefined {
  return ({ dialects, address, net, opening }) => {
    const found = Object.entries(table).find(([dialect]) => dialects.some((own) => own === dialect))
    return found && opening.use(found[1](address, net))
  }
}

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
  const ofSeveralSigners = wiresOfSeveralSigners(models)
  for (const entry of models.providers()) {
    const { id, baseUrl, apiKey, headers, dialects, timeouts } = entry
    const { onDisconnect, maxDrains, passTraceparent, takesLinks } = entry
    const key = apiKey === undefined ? {} : { apiKey }
    const egress = (url: string | URL) => outbound.egressTo(url, entry)
    const connected =
      id === 'sandbox'
        ? { provider: sandboxProvider(), orders: sandboxOrders() }
        : entry.sherpa
          ? sherpaClients(entry.sherpa, opening)
          : openClients(dialects, { id, baseUrl, headers, ...key, ofSeveralSigners }, egress, net, opening)
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

/** The wires on which models of more than one vendor are offered: there a caller may send one vendor's signed reasoning to another. */
function wiresOfSeveralSigners(models: Catalogue): ReadonlySet<Wire> {
  const signers: Record<Wire, Set<string>> = { chat: new Set(), responses: new Set(), messages: new Set() }
  for (const model of models.list()) {
    if (model.kind !== 'text') continue
    for (const { provider, model: name, wires = [] } of model.deployments)
      for (const wire of wires) signers[wire].add(signerOf(models.provider(provider).baseUrl, name))
  }
  return new Set((['responses', 'messages'] as const).filter((wire) => signers[wire].size > 1))
}

/** A provider that transcribes in a child process, which starts with the first recording or call. */
function sherpaClients(
  place: NonNullable<ProviderConfig['sherpa']>,
  opening: AsyncDisposableStack,
): Pick<Upstream, 'provider' | 'orders'> {
  const transcription = opening.use(sherpaTranscription(place))
  return { provider: combineText([], transcription.ping), orders: { transcription } }
}

function openClients(
  dialects: readonly Dialect[],
  { ofSeveralSigners, ...named }: UpstreamAddress & { id: string; ofSeveralSigners: ReadonlySet<Wire> },
  egressTo: (url: string | URL) => Egress,
  net: GuardedClient,
  opening: AsyncDisposableStack,
): Pick<Upstream, 'provider' | 'orders' | 'live' | 'realtime'> {
  const egress = egressTo(named.baseUrl)
  const links = (egress.proxy || egress.trust) && { egressOfLinks: egressTo }
  const provider: OpeningProvider = { dialects, address: { ...named, egress, ...links }, net, opening }
  const wires = dialects.filter(isWire)
  const texts = wires.map((wire) =>
    opening.use(
      textClients[wire]({ ...provider.address, isOneOfSeveralSigners: ofSeveralSigners.has(wire) }),
    ),
  )
  const orders = openOrders(provider)
  const realtime = openRealtime(provider)
  const [first] = [...Object.values(orders), realtime]
  const { transcription } = orders
  return {
    provider: combineText(texts, wires.length === 0 ? first?.ping : undefined),
    orders,
    ...(transcription?.open && { live: { open: transcription.open } }),
    ...(realtime && { realtime }),
  }
}

function openOrders(provider: OpeningProvider): OrderClients {
  const clients = Object.entries(orderClients).map(([kind, open]) => [kind, open(provider)] as const)
  return Object.fromEntries(clients.filter(([, client]) => client)) as OrderClients
}

function combineSpeech(
  speaks?: SpeechClient,
  answers?: SpeechClient,
): Pick<SpeechClient, 'speak' | 'ping' | 'warm'> | undefined {
  if (!speaks || !answers) return speaks ?? answers
  return {
    speak: (call) => (call.order.question ? answers : speaks).speak(call),
    ping: speaks.ping,
    ...(speaks.warm && { warm: speaks.warm }),
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
    warm: async () => await byWire.get(chooseWire(wires, 'chat'))?.warm?.(),
  }
}

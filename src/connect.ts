/** Creates one client for each wire of a provider and joins them into the provider that routing calls. */

import { type Catalogue, type Dialect, isWire, type ProviderConfig } from '#core/models'
import { type Upstream, wireOf } from '#core/routing'
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
import { type ImageRoom, imagesProvider, type PictureAddress } from '#providers/images'
import type { LinkedAddress, UpstreamAddress, VideoRoom } from '#providers/kit'
import { messagesProvider } from '#providers/messages'
import { chatAnswers, chatImages } from '#providers/modalities'
import { openRouterImages, openRouterTranscription, openRouterVideos } from '#providers/openrouter'
import { realtimeProvider } from '#providers/realtime'
import { responsesProvider } from '#providers/responses'
import { sherpaTranscription } from '#providers/sherpa'
import { speechProvider } from '#providers/speech'
import { type TranscriptionRoom, transcriptionsProvider } from '#providers/transcriptions'
import {
  sandboxAudio,
  sandboxEmbeddings,
  sandboxImages,
  sandboxProvider,
  sandboxTranscription,
  sandboxVideos,
} from '#sandbox'

type Room = TextProvider & AsyncDisposable
type TalkingRoom = RealtimeProvider & AsyncDisposable & Partial<Pick<TextProvider, 'ping'>>
type SoundRoom = AudioProvider & AsyncDisposable & Pick<TextProvider, 'ping'>

const rooms: Record<Wire, (address: UpstreamAddress & { id: string }) => Room> = {
  chat: chatCompletionsProvider,
  responses: responsesProvider,
  messages: messagesProvider,
}

/** Clients for pictures; a provider uses the first whose dialect it has. */
const pictureRooms = {
  images: imagesProvider,
  openrouter: openRouterImages,
  gemini: geminiImages,
  fal: falImages,
  modalities: chatImages,
} satisfies Partial<Record<Dialect, (address: PictureAddress, net: GuardedClient) => ImageRoom>>

/** Clients for speech; a provider uses the first whose dialect it has. */
const soundRooms = {
  speech: speechProvider,
  openrouter: speechProvider,
  elevenlabs: elevenLabsSpeech,
  gemini: geminiSpeech,
} satisfies Partial<Record<Dialect, (address: UpstreamAddress) => SoundRoom>>

/** Clients that answer recordings; a provider that has one uses it for them, whatever speaks its texts. */
const answerRooms = {
  modalities: chatAnswers,
} satisfies Partial<Record<Dialect, (address: UpstreamAddress) => SoundRoom>>

/** Clients for transcription; a provider uses the first whose dialect it has. */
const transcriptionRooms = {
  transcriptions: transcriptionsProvider,
  openrouter: openRouterTranscription,
  deepgram: deepgramTranscription,
  elevenlabs: elevenLabsTranscription,
} satisfies Partial<
  Record<Dialect, (address: UpstreamAddress) => TranscriptionRoom & Partial<LiveTranscriber>>
>

/** Clients for realtime calls; a provider uses the first whose dialect it has. */
const realtimeRooms = {
  realtime: realtimeProvider,
  gemini: geminiRealtime,
} satisfies Partial<Record<Dialect, (address: UpstreamAddress) => TalkingRoom>>

/** Clients for videos; a provider uses the first whose dialect it has. */
const videoRooms = {
  openrouter: openRouterVideos,
  gemini: geminiVideos,
  fal: falVideos,
} satisfies Partial<Record<Dialect, (address: LinkedAddress, net: GuardedClient) => VideoRoom>>

/** The guarded client of a config, for addresses that users name. It goes through the environment's proxy only where `net.use_proxy` says so. */
export function openNet({ net }: Pick<Config, 'net'>, outbound: Outbound, log?: Log): GuardedNet {
  const own = net.usesProxy ? {} : ({ proxy: 'direct' } as const)
  return openGuardedClient({
    allowedCidrs: net.allowedCidrs,
    egress: (url) => outbound.to(url, own),
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
    const egress = (url: string | URL) => outbound.to(url, entry)
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
          ? sherpaRoom(entry.sherpa, opening)
          : roomsFor(dialects, { id, baseUrl, headers, ...key }, egress, net, opening)
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
function sherpaRoom(
  place: NonNullable<ProviderConfig['sherpa']>,
  opening: AsyncDisposableStack,
): Pick<Upstream, 'provider' | 'orders'> {
  const transcription = opening.use(sherpaTranscription(place))
  return { provider: joined([], transcription.ping), orders: { transcription } }
}

function roomsFor(
  dialects: readonly Dialect[],
  named: UpstreamAddress & { id: string },
  egressTo: (url: string | URL) => Egress,
  net: GuardedClient,
  opening: AsyncDisposableStack,
): Pick<Upstream, 'provider' | 'orders' | 'live' | 'realtime'> {
  const address = { ...named, egress: egressTo(named.baseUrl) }
  const wires = dialects.filter(isWire)
  const texts = wires.map((wire) => opening.use(rooms[wire](address)))
  const embedding = wires.includes('chat') && opening.use(embeddingsProvider(address))
  const drawing = firstOf(pictureRooms, dialects)
  const links = (address.egress.proxy || address.egress.trust) && { egressOfLinks: egressTo }
  const image = drawing && opening.use(drawing({ ...address, ...links }, net))
  const [speaks, answers] = [soundRooms, answerRooms].map((table) => {
    const room = firstOf<(address: UpstreamAddress) => SoundRoom>(table, dialects)
    return room && opening.use(room(address))
  })
  const audio = joinedSound(speaks, answers)
  const writing = firstOf(transcriptionRooms, dialects)
  const transcription: (TranscriptionRoom & Partial<LiveTranscriber>) | undefined =
    writing && opening.use(writing(address))
  const talking = firstOf(realtimeRooms, dialects)
  const realtime: TalkingRoom | undefined = talking && opening.use(talking(address))
  const filming = firstOf(videoRooms, dialects)
  const video = filming && opening.use(filming({ ...address, ...links }, net))
  const ping = wires.length === 0 ? (image ?? audio ?? video ?? transcription ?? realtime)?.ping : undefined
  return {
    provider: joined(texts, ping),
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

const firstOf = <Opened>(
  table: Partial<Record<Dialect, Opened>>,
  dialects: readonly Dialect[],
): Opened | undefined =>
  Object.entries(table).find(([dialect]) => dialects.some((own) => own === dialect))?.[1]

function joinedSound(speaks?: SoundRoom, answers?: SoundRoom): Pick<SoundRoom, 'speak' | 'ping'> | undefined {
  if (!speaks || !answers) return speaks ?? answers
  return {
    speak: (call) => (call.order.question ? answers : speaks).speak(call),
    ping: speaks.ping,
  }
}

/** `ping` is given for a provider that has no wire of text. */
function joined(all: readonly TextProvider[], ping?: TextProvider['ping']): TextProvider {
  const byWire = new Map(all.flatMap((room) => room.wires.map((wire) => [wire, room] as const)))
  const wires = [...byWire.keys()]
  const roomFor = (own: Wire): TextProvider => byWire.get(wireOf(wires, own))!
  return {
    wires,
    generate: (call, sink) => roomFor(call.turn.source.wire).generate(call, sink),
    ping: ping ?? ((signal) => roomFor('chat').ping(signal)),
  }
}

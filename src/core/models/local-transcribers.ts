/** Servers of this machine that write recordings down, found where they usually listen; each is recognized by an answer that only it gives. */
import { type Dispatcher, request } from 'undici'
import { isRecord } from '#platform/json'
import { type Egress, openDispatcher } from '#platform/proxy'
import { transcriptionModel } from './kinds/transcription/ready-made.ts'
import type { TranscriptionModel, TranscriptionSettings } from './kinds/transcription/transcription-model.ts'
import { defaultTimeouts, type ProviderConfig } from './provider-settings.ts'

export type LocalServer = 'speaches' | 'localai' | 'whispercpp'

/** The address at which each server listens by default. */
export const localServers: Readonly<Record<LocalServer, string>> = {
  speaches: 'http://127.0.0.1:8000',
  localai: 'http://127.0.0.1:8080',
  whispercpp: 'http://127.0.0.1:8080',
}

export interface LocalTranscriber {
  provider: ProviderConfig
  models: TranscriptionModel[]
}

/** More models than anybody has installed; a bound, because the lists come from outside. */
const maxModels = 100
const maxBytes = 4 * 1024 * 1024

/** The models of a local server, free by explicit zero; undefined where it does not answer within `timeoutMs`, or is another server. */
export async function findTranscriber(
  server: LocalServer,
  host: string,
  timeoutMs: number,
  egress: Egress,
): Promise<LocalTranscriber | undefined> {
  const dispatcher = openDispatcher(new URL(host).origin, { ...egress, connectMs: timeoutMs })
  const fetchPath = (path: string) => answerOf(dispatcher, `${host}${path}`, timeoutMs)
  try {
    const found = await readers[server](fetchPath)
    return found && found.names.length > 0 ? describe(server, host, found) : undefined
  } finally {
    await dispatcher.destroy()
  }
}

interface ServerModels {
  names: string[]
  settings: Partial<TranscriptionSettings>
}
type FetchPath = (path: string) => Promise<ServerAnswer | undefined>
interface ServerAnswer {
  server: string
  body: string
}

const whisper: Partial<TranscriptionSettings> = { timestamps: 'word', takesPrompt: true }

const readers: Record<LocalServer, (fetchPath: FetchPath) => Promise<ServerModels | undefined>> = {
  /** Its models state their task (speaches-ai/speaches, routers/models.py); the lists of other servers, such as vLLM at the same port, do not. */
  speaches: async (fetchPath) => {
    const listed = itemsIn(await fetchPath('/v1/models?task=automatic-speech-recognition'))
    const names = namesOf(listed.filter(({ task }) => task === 'automatic-speech-recognition'))
    return { names, settings: { ...whisper, formats: ['wav', 'mp3', 'ogg', 'flac'], streams: true } }
  },
  /** mudler/LocalAI, endpoints/openai/list_capabilities.go. */
  localai: async (fetchPath) => {
    const listed = itemsIn(await fetchPath('/v1/models/capabilities'))
    const writing = listed.filter(
      ({ capabilities }) =>
        Array.isArray(capabilities) && capabilities.some((one) => /^transcri/i.test(String(one))),
    )
    return { names: namesOf(writing), settings: { timestamps: 'segment' } }
  },
  /** The server names itself (ggml-org/whisper.cpp, examples/server), and lists nothing: the model it was started with is its only one. */
  whispercpp: async (fetchPath) => {
    const answer = await fetchPath('/')
    return answer?.server === 'whisper.cpp' ? { names: ['whisper'], settings: whisper } : undefined
  },
}

const named = { speaches: 'Speaches', localai: 'LocalAI', whispercpp: 'whisper.cpp' } as const

function describe(server: LocalServer, host: string, { names, settings }: ServerModels): LocalTranscriber {
  return {
    provider: {
      id: server,
      baseUrl: server === 'whispercpp' ? `${host}/inference` : `${host}/v1`,
      dialects: ['transcriptions'],
      // A local server loads the model on its first recording.
      timeouts: { ...defaultTimeouts, firstByteMs: 180_000, idleMs: 60_000, totalMs: 3_600_000 },
      onDisconnect: 'cancel',
      headers: {},
    },
    models: names.map((name) =>
      transcriptionModel(
        {
          id: `${server}/${name}`,
          displayName: name,
          description: `${name} on the local ${named[server]} server.`,
          ownedBy: server,
          created: 0,
          sandbox: false,
          deployments: [{ id: `${server}/${name}`, provider: server, model: name, weight: 1, priority: 0 }],
          fallbacks: [],
        },
        {},
        { maxSeconds: 600, ...settings },
      ),
    ),
  }
}

/** The answer at an address; undefined where none comes, or a bad one: then there is no such server. */
async function answerOf(
  dispatcher: Dispatcher,
  url: string,
  timeoutMs: number,
): Promise<ServerAnswer | undefined> {
  try {
    const reply = await request(url, { dispatcher, signal: AbortSignal.timeout(timeoutMs) })
    if (reply.statusCode !== 200) {
      await reply.body.dump()
      return undefined
    }
    const pieces: Buffer[] = []
    let length = 0
    for await (const piece of reply.body as AsyncIterable<Buffer>) {
      length += piece.length
      if (length > maxBytes) return undefined
      pieces.push(piece)
    }
    return { server: String(reply.headers['server'] ?? ''), body: Buffer.concat(pieces).toString('utf8') }
  } catch {
    return undefined
  }
}

/** The objects in a list of OpenAI's form. */
function itemsIn(answer: ServerAnswer | undefined): Record<string, unknown>[] {
  try {
    const list: unknown = answer && JSON.parse(answer.body)
    const data = isRecord(list) && Array.isArray(list['data']) ? list['data'] : []
    return data.slice(0, maxModels).filter(isRecord)
  } catch {
    return []
  }
}

const namesOf = (items: readonly Record<string, unknown>[]): string[] =>
  items.flatMap(({ id }) =>
    typeof id === 'string' && /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,200}$/.test(id) ? [id] : [],
  )

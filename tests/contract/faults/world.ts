/** One server whose clock the tests move, with upstreams of every kind, and accounts of which all books are seen. */
import { probeVideo } from '../../../src/core/media/video-probe/probe.ts'
import { openSource } from '../../../src/core/media/video-probe/source.ts'
import type { Client } from '../../harness/client.ts'
import { type FakeUpstream, fakeUpstream } from '../../harness/upstream.ts'
import { fakeVideoUpstream, type VideoUpstream } from '../../harness/video-upstream.ts'
import { boot, MovableClock, type World } from '../../harness/world.ts'

/** No other timeout of a call is as long as that of the whole, which the tests end. */
const timeouts = 'timeouts: { first_byte_ms: 20000, first_token_ms: 12000, idle_ms: 20000, total_ms: 900000 }'
const config = (url: string, films: string) => `
providers:
  - { id: fake, base_url: ${url}, api_key: upstream-secret, dialects: [chat, images, speech, modalities, transcriptions], ${timeouts} }
  - { id: eleven, base_url: ${url}, api_key: upstream-secret, dialects: [elevenlabs], ${timeouts} }
  - { id: films, base_url: ${films}, api_key: upstream-secret, dialects: [openrouter], ${timeouts} }
models:
  - id: test/painter
    kind: image
    deployments: [{ provider: fake, model: painter-1 }]
    image: { sizes: [64x64], max_references: 1 }
    pricing: { per_image: 0.04, per_reference: 0.001 }
  - id: test/gradual
    kind: image
    deployments: [{ provider: fake, model: gradual-1 }]
    image: { sizes: [64x64], partial_images: 2 }
    pricing: { per_image: 0.04 }
  - id: test/pair
    kind: audio
    deployments: [{ provider: eleven, model: pair-1 }]
    audio: { does: [speech, dialogue], voices: [{ id: alloy }, { id: nova }], formats: [mp3] }
    pricing: { per_million_characters: 15 }
  - id: test/answerer
    kind: audio
    deployments: [{ provider: fake, model: answerer-1 }]
    audio: { does: [answer], voices: [{ id: alloy }], formats: [pcm] }
    pricing: { input_per_million: 32, output_per_million: 64 }
  - id: test/voice
    kind: audio
    deployments: [{ provider: fake, model: voice-1 }]
    audio: { voices: [{ id: alloy }, { id: nova }], formats: [wav] }
    pricing: { per_million_characters: 15 }
  - id: test/scribe
    kind: transcription
    deployments: [{ provider: fake, model: scribe-1 }]
    transcription: { max_seconds: 10, timestamps: segment, stream: true }
    pricing: { per_minute: 0.06 }
  - id: test/near
    kind: embedding
    deployments: [{ provider: fake, model: near-1 }]
    max_input_tokens: 8192
    max_batch: 2
    pricing: { input_per_million: 0.5 }
  - id: test/film
    kind: video
    deployments: [{ provider: films, model: film-1 }]
    video: { combinations: [{ resolution: 480p, durations: [5], aspect_ratios: ["16:9"], audio: never }] }
    pricing: { per_second: 0.1 }
defaults: { credits_per_usd: 1000, markup: 1.0, studio: { image: { balanced: test/painter }, audio: { balanced: test/voice } } }
`

export interface FaultWorld extends AsyncDisposable {
  world: World
  clock: MovableClock
  upstream: FakeUpstream
  /** Of videos. */
  vendor: VideoUpstream
}

export async function openFaultWorld(): Promise<FaultWorld> {
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await fakeUpstream())
  const vendor = stack.use(await fakeVideoUpstream('openrouter'))
  const clock = new MovableClock()
  // Videos are looked at, and their bytes fetched again, in ticks of the machine's time.
  const timing = { dueTickMs: 20 }
  const world = stack.use(await boot({ config: config(upstream.url, vendor.url), clock, timing }))
  // In this process: one that is confined, as in a server, takes longer than all the rest of a video.
  world.app.videoProbe.probe = async (file) => {
    using source = openSource(file)
    return probeVideo(source)
  }
  const open = stack.move()
  return { world, clock, upstream, vendor, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

const credits = 1_000n * 1_000_000n
/** As long as a breaker stays open at most. */
const calmMs = 2 * 60_000

/** All that an account's calls have come to. */
export interface Books {
  /** In micro-credits, as all sums. */
  charged: bigint
  held: bigint
  /** By the platform, for this account. */
  lost: bigint
  /** Room in the store that is kept for what is being made. */
  reserved: number
  /** State and charge of each call, those that failed before the others. */
  receipts: [state: string, charged: bigint][]
  files: { id: string; bytes: number }[]
}

export interface Newcomer {
  client: Client
  books(): Promise<Books>
  /** That were ordered. */
  videos(): Promise<number>
}

/** An account of its own. What the tests before it did to the upstreams' breakers is over. */
export async function newcomer({ world, clock }: FaultWorld): Promise<Newcomer> {
  clock.moveMs(calmMs)
  const { account, client } = await world.stranger(Number(credits / 1_000_000n))
  const { db, ledger } = world.app
  return {
    client,
    async books() {
      const { balance, held } = await ledger.balance(account)
      const [row] = await db.query<BooksRow>({ text: booksText }, [account])
      const receipts = (row!.receipts ?? []).map(([state, sum]): [string, bigint] => [state, BigInt(sum)])
      return {
        charged: credits - balance,
        held,
        lost: row!.lost,
        reserved: Number(row!.reserved),
        receipts,
        files: row!.files ?? [],
      }
    },
    async videos() {
      return (await db.query({ text: 'select from videos.jobs where account_id = $1' }, [account])).length
    },
  }
}

interface BooksRow {
  lost: bigint
  reserved: bigint
  receipts: [state: string, charged: number][] | null
  files: { id: string; bytes: number }[] | null
}
const booksText = `select
  (select coalesce(-sum(amount), 0)::bigint from ledger.entries where account_id = $1 and book = 'loss') as lost,
  (select count(*) from files.reservations where account_id = $1) as reserved,
  (select json_agg(json_build_array(state, charged) order by state desc) from ledger.receipts where account_id = $1) as receipts,
  (select json_agg(json_build_object('id', file_id, 'bytes', bytes)) from files.files where account_id = $1) as files`

/** A vendor of videos that knows the truth: what was ordered, what it made, who has its bytes. Its jobs take seconds to minutes, and some for ever. */
import type { VideoCall, VideoLook, VideoProgress, VideoProvider, VideoTicket } from '#core/spec'
import { UpstreamError } from '#core/spec'
import { never, type Sender } from './link.ts'
import type { Random } from './random.ts'
import type { Timeline } from './timeline.ts'
import { refusals } from './upstream.ts'

type Worker = Sender & { name: string }

/** `broken`: made, and its bytes never come whole; `vanishes`: nobody knows it any more when it would be made; `endless`: never made. */
type Fate = 'made' | 'broken' | 'failed' | 'vanishes' | 'endless'

/** One order that arrived, whether or not its answer did. */
export interface Film {
  id: string
  requestId: string
  orderedMs: number
  doneMs: number
  fate: Fate
}

/** One call of the platform that may have ordered something. */
export interface FilmCall {
  requestId: string
  process: string
  film: Film | undefined
  /** The platform was told that nothing was ordered. */
  refused: boolean
  /** It was told which job it is. */
  answered: boolean
}

export interface FilmVendorOptions {
  timeline: Timeline
  random: Random
  /** Posts a webhook to the address that an order named. */
  notify: (address: string, body: unknown) => void
}

/** The end of bytes that came whole. */
export const wholeEnd = 'the end'
const maxWorkMs = 120_000

export class FilmVendor {
  readonly calls: FilmCall[] = []
  readonly films = new Map<string, Film>()
  /** Told of each call in the moment in which it leaves the process. */
  onCall: (call: FilmCall) => void = () => {}
  faultShare = 0
  readonly #ask: FilmVendorOptions

  constructor(options: FilmVendorOptions) {
    this.#ask = options
  }

  providerFor(sender: Worker): VideoProvider {
    return {
      submit: (call) => this.#submit(sender, call),
      look: (look) => this.#look(sender, look),
      fetch: (look) => this.#fetch(sender, look),
      jobOf: (body) => (body as { id?: string }).id,
    }
  }

  async #submit(sender: Worker, ask: VideoCall): Promise<VideoTicket> {
    const { random } = this.#ask
    if (ask.signal.aborted) throw new UpstreamError('aborted', { executed: false })
    if (!sender.survives('before a video is ordered')) await never()
    const fails = random.chance(this.faultShare)
    const refusal = fails && random.chance(0.5) ? random.pick(refusals) : undefined
    const isHeard = refusal === undefined && !(fails && random.chance(0.3))
    const call: FilmCall = {
      requestId: ask.attemptId.slice(0, 36),
      process: sender.name,
      film: undefined,
      refused: refusal?.[1].executed === false,
      answered: false,
    }
    this.calls.push(call)
    this.onCall(call)
    if (isHeard) call.film = this.#order(call.requestId, ask.callbackUrl)
    if (!sender.survives('after a video was ordered')) await never()
    // Some take longer than a process that stops has time for everything else.
    await this.#wait(random.chance(0.2) ? 30_000 * random.next() : 2_000 * random.next(), sender, ask.signal)
    if (refusal) throw new UpstreamError(...refusal)
    if (fails) throw new UpstreamError(random.pick(['timeout', 'reset', 'malformed']))
    call.answered = true
    return { id: call.film!.id }
  }

  #order(requestId: string, callbackUrl: string | undefined): Film {
    const { timeline, random, notify } = this.#ask
    const lot = random.next()
    const film: Film = {
      id: `film-${this.films.size + 1}`,
      requestId,
      orderedMs: timeline.nowMs,
      doneMs: timeline.nowMs + 3_000 + random.next() ** 2 * maxWorkMs,
      fate:
        lot < 0.76
          ? 'made'
          : lot < 0.8
            ? 'broken'
            : lot < 0.9
              ? 'failed'
              : lot < 0.98
                ? 'vanishes'
                : 'endless',
    }
    this.films.set(film.id, film)
    const tell = (atMs: number, id: string): unknown =>
      timeline.after(atMs - timeline.nowMs, undefined, () => notify(callbackUrl!, { id }))
    if (callbackUrl !== undefined) {
      // Some come before the answer to the order, some not at all, and some twice.
      if (random.chance(0.2)) tell(timeline.nowMs + random.next() * 500, film.id)
      for (let times = random.between(0, 2); times > 0; times--)
        tell(film.doneMs + random.next() * 5_000, film.id)
      if (random.chance(0.05)) tell(film.doneMs, 'film-of-nobody')
    }
    return film
  }

  async #look(sender: Worker, { ticket, signal }: VideoLook): Promise<VideoProgress> {
    await this.#leg(sender, signal)
    const film = this.films.get(ticket.id)
    const isDone = film !== undefined && film.doneMs <= this.#ask.timeline.nowMs
    if (!film || (isDone && film.fate === 'vanishes'))
      throw new UpstreamError('not_found', { executed: false })
    if (!isDone || film.fate === 'endless') return { status: this.#ask.random.pick(['queued', 'processing']) }
    if (film.fate === 'made' || film.fate === 'broken') return { status: 'completed' }
    return { status: 'failed', fault: new UpstreamError('content_refused') }
  }

  async *#fetch(sender: Worker, { ticket, signal }: VideoLook): AsyncGenerator<Uint8Array> {
    const { random } = this.#ask
    await this.#leg(sender, signal)
    const film = this.films.get(ticket.id)!
    yield Buffer.from(`a film of ${film.requestId}, `)
    // Some take longer than a process may be silent before it is taken for dead.
    await this.#wait(random.next() * (random.chance(0.2) ? 40_000 : 3_000), sender, signal)
    if (random.chance(this.faultShare / 2)) throw new UpstreamError('cut')
    // Bytes that end early without a word are found by the probe.
    const isCut = film.fate === 'broken' || random.chance(this.faultShare / 2)
    yield Buffer.from(isCut ? 'the' : wholeEnd)
  }

  /** What costs nothing and is repeated. */
  async #leg(sender: Worker, signal: AbortSignal): Promise<void> {
    const { random } = this.#ask
    if (signal.aborted) throw new UpstreamError('aborted', { executed: false })
    await this.#wait(5 + random.next() * 400, sender, signal)
    if (random.chance(this.faultShare))
      throw new UpstreamError(random.pick(['reset', 'unavailable', 'rate_limited', 'malformed']))
  }

  /** Ends early, with the fault of an aborted call, when the platform cuts the connection. */
  #wait(delayMs: number, sender: Worker, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        callOff()
        reject(new UpstreamError('aborted'))
      }
      const callOff = this.#ask.timeline.after(delayMs, sender, () => {
        signal.removeEventListener('abort', leave)
        resolve()
      })
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
    })
  }
}

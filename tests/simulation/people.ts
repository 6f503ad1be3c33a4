/** Clients of a simulated world: what they send, how they repeat it, when they leave, and what they got. */
import type { Caller } from '#app'
import type { Answer, Request, SimulatedProcess } from './process.ts'
import type { Random } from './random.ts'
import type { Timeline } from './timeline.ts'

/** One request that was sent, with what came of it. */
export interface Sent {
  requestId: string
  keyId: string
  /** Account, project and key. */
  meterIds: readonly string[]
  idempotencyKey: string | undefined
  /** Tells one body from another. */
  bodyText: string
  stream: boolean
  process: SimulatedProcess
  sentMs: number
  endedMs: number | undefined
  /** Nobody waits for it. */
  background: boolean
  /** How many; 0: a text. */
  pictures: number
  isFilm: boolean
  /** Of pictures: one after the other into one file. */
  inSequence: boolean
  /** The client left before its answer. */
  left: boolean
  answer: Answer | undefined
}

export interface PeopleOptions {
  timeline: Timeline
  random: Random
  callers: readonly Caller[]
  hasFilms: boolean
  /** Those that take requests now. */
  processes: () => readonly SimulatedProcess[]
  note: (who: string, what: string) => void
}

/** Answers after which a client sends the same again. */
const worthAnother = new Set([
  'SERVICE_UNAVAILABLE',
  'IDEMPOTENCY_IN_PROGRESS',
  'UPSTREAM_FAILED',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_OVERLOADED',
  'UPSTREAM_RATE_LIMITED',
  'INSUFFICIENT_CREDITS',
  'RATE_LIMITED',
  'CONCURRENCY_LIMITED',
])

export class People {
  readonly sent: Sent[] = []
  /** Clients that still want something. */
  busy = 0
  readonly #ask: PeopleOptions

  constructor(options: PeopleOptions) {
    this.#ask = options
  }

  /** One wish of one person: a call, perhaps under a key that others use as well, perhaps sent twice at once. */
  wish(): void {
    const { random, callers } = this.#ask
    const caller = random.pick(callers)
    const background = random.chance(0.2)
    const idempotencyKey = !background && random.chance(0.6) ? `wish-${random.between(1, 12)}` : undefined
    const body = background ? this.#text() : this.#body()
    const twins = idempotencyKey !== undefined && random.chance(0.25) ? 2 : 1
    for (let twin = 0; twin < twins; twin++) void this.#insist(caller, body, idempotencyKey, background)
  }

  /** A UUIDv7 of this moment, as the server gives them. */
  #requestId(): string {
    const { timeline } = this.#ask
    const at = Math.floor(timeline.startMs + timeline.nowMs)
      .toString(16)
      .padStart(12, '0')
    return `${at.slice(0, 8)}-${at.slice(8)}-7000-8000-${String(this.sent.length).padStart(12, '0')}`
  }

  #body(): Request['body'] {
    const { random, hasFilms } = this.#ask
    if (hasFilms && random.chance(0.5)) return { model: 'test/film', film: random.pick(['گربه', 'دریا']) }
    return random.chance(0.35) ? this.#pictures() : this.#text()
  }

  #pictures(): Request['body'] {
    const { random } = this.#ask
    return { model: 'test/painter', prompt: 'سیب', n: random.between(1, 3), inSequence: random.chance(0.3) }
  }

  #text(): Request['body'] {
    const { random } = this.#ask
    const content = random.pick(['hello', 'hello there', 'سلام'])
    const limit = random.pick([20, 60, 200, undefined])
    return {
      model: 'test/model',
      messages: [{ role: 'user', content }],
      stream: random.chance(0.4),
      ...(limit !== undefined && { max_tokens: limit }),
    }
  }

  async #insist(
    caller: Caller,
    body: Request['body'],
    idempotencyKey: string | undefined,
    background: boolean,
  ): Promise<void> {
    const { random, timeline } = this.#ask
    this.busy++
    for (let tries = 0; tries < 6; tries++) {
      const sent = await this.#send(caller, body, idempotencyKey, background)
      if (!sent || this.#wantsAgain(sent)) await timeline.pause(50 + random.next() ** 2 * 8_000, undefined)
      else break
    }
    this.busy--
  }

  #wantsAgain({ answer, left }: Sent): boolean {
    const { random } = this.#ask
    if (left) return random.chance(0.5)
    if (answer?.kind === 'none') return true
    if (answer?.kind === 'failure') return worthAnother.has(answer.code) && random.chance(0.9)
    return random.chance(0.3)
  }

  async #send(
    caller: Caller,
    body: Request['body'],
    idempotencyKey: string | undefined,
    background: boolean,
  ): Promise<Sent | undefined> {
    const { random, timeline, processes, note } = this.#ask
    const there = processes()
    if (there.length === 0) return undefined
    const process = random.pick(there)
    const requestId = this.#requestId()
    const sent: Sent = {
      requestId,
      keyId: caller.keyId,
      meterIds: [caller.accountId, caller.projectId, caller.keyId],
      idempotencyKey,
      bodyText: JSON.stringify(body),
      stream: 'stream' in body && body.stream,
      pictures: 'n' in body ? body.n : 0,
      isFilm: 'film' in body,
      inSequence: 'n' in body && body.inSequence,
      process,
      sentMs: timeline.nowMs,
      endedMs: undefined,
      background,
      left: false,
      answer: undefined,
    }
    this.sent.push(sent)
    note('client', `sends ${requestId} to ${process.name}, key ${idempotencyKey ?? '-'}, ${sent.bodyText}`)
    const leaving = new AbortController()
    const leavesMs = !background && random.chance(0.15) ? random.next() * 3_000 : undefined
    const left = new Promise<undefined>((resolve) => {
      if (leavesMs === undefined) return
      timeline.after(leavesMs, undefined, () => {
        if (sent.answer) return
        sent.left = true
        note('client', `leaves ${requestId}`)
        // What a process hears of it, it hears as part of its own life: not at all when it is dead, later when it is paused.
        timeline.after(0, process, () => leaving.abort())
        resolve(undefined)
      })
    })
    const asked = process.request({
      caller,
      body,
      idempotencyKey,
      requestId,
      background,
      gone: leaving.signal,
    })
    const answer = await Promise.race([asked, left])
    sent.endedMs = timeline.nowMs
    if (answer) {
      sent.answer = answer
      note('client', `gets ${requestId}: ${shown(answer)}`)
    }
    return sent
  }
}

function shown(answer: Answer): string {
  if (answer.kind === 'failure') return answer.code
  if (answer.kind === 'json') return answer.replayed ? `replay of ${answer.requestId}` : 'an answer'
  return answer.kind === 'stream' ? 'a stream' : 'nothing'
}

/** UUIDs that are the same in every run of a seed. */
export const idOf = (kind: 'account' | 'project' | 'key' | 'transfer', number: number): string => {
  const kinds = ['', 'account', 'project', 'key', 'transfer']
  return `0000000${kinds.indexOf(kind)}-0000-7000-8000-${String(number).padStart(12, '0')}`
}

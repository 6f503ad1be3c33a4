/**
 * The answers under way in this process. The parts of all of them are flushed in one statement, their readers are woken together, and each answer is
 * settled in the transaction that ends its message. An answer goes on whoever reads it; only `stop` and the end of a drain cut it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { PaidTurn } from '#core/inference'
import { type Deadline, deadlines, steadyClock } from '#platform/clock'
import { fail } from '#platform/errors'
import { indexMessages } from '../index-words.ts'
import { flushParts } from '../message-store.ts'
import type { AnswersApp } from './app.ts'
import { endAnswer, writeOf } from './end-answer.ts'
import { type AnswerIds, LiveAnswer } from './live-answer.ts'
import { endLostAnswers } from './lost.ts'
import { notify } from './store.ts'

/** The answers of one person at once in one process. */
const maxPerPerson = 3
/** How often the readers of this process are shown what came. */
const showMs = 50
const flushMs = 250
/** How much of the time of a drain is kept for settling the answers that are stopped. */
const settleMs = 1_500
/** A reader of another process's answer looks at least so often, in case a notification is missed. */
const pollMs = 1_000

/** Its messages name answers that have news for readers on other processes. */
const partsChannel = 'talk_parts'
/** Its messages name answers that have readers on other processes. */
const readersChannel = 'talk_readers'
const stopChannel = 'talk_stop'

/** A reader of an answer of another process. */
export interface RemoteReader {
  /** When that process was last notified of the reader, by the steady clock. */
  announcedMs: number
}

export class AnswerRunner implements AsyncDisposable {
  readonly #app: AnswersApp
  readonly #live = new Map<string, LiveAnswer>()
  readonly #places = new Map<string, number>()
  /** Those who wait for news of answers of other processes. */
  readonly #waiting = new Map<string, Set<() => void>>()
  readonly #listener: AsyncDisposable
  readonly #tick: Deadline
  #flushing: Promise<void> | undefined
  #flushedMs = 0
  #onIdle: (() => void) | undefined

  constructor(app: AnswersApp) {
    this.#app = app
    this.#listener = app.db.listen([partsChannel, readersChannel, stopChannel], {
      message: (channel, payload) => this.#onMessage(channel, payload),
      up: () => this.#wakeAll(),
      down: () => undefined,
    })
    this.#tick = deadlines.in(showMs, () => this.#onTick())
    this.#tick.cancel()
  }

  /** Takes one of the person's places, until disposed. Throws CONCURRENCY_LIMITED. */
  takePlace(personId: string): Disposable {
    const taken = this.#places.get(personId) ?? 0
    if (taken >= maxPerPerson) fail('CONCURRENCY_LIMITED', { whose: 'key' }, { retryAfterMs: 2_000 })
    this.#places.set(personId, taken + 1)
    let isTaken = true
    return {
      [Symbol.dispose]: () => {
        if (!isTaken) return
        isTaken = false
        const left = this.#places.get(personId)! - 1
        if (left === 0) this.#places.delete(personId)
        else this.#places.set(personId, left)
      },
    }
  }

  /** Begins an answer whose message is stored; `place` is given back when the answer has ended. */
  begin(ids: AnswerIds, paid: PaidTurn, place: Disposable): void {
    const answer = new LiveAnswer(ids, paid)
    this.#live.set(ids.messageId, answer)
    if (this.#live.size === 1) this.#tick.restart()
    void this.#run(answer, place)
  }

  find(messageId: string): LiveAnswer | undefined {
    return this.#live.get(messageId)
  }

  /** Stops an answer, on whichever process it runs. */
  async stop(messageId: string): Promise<void> {
    const own = this.#live.get(messageId)
    if (own) own.stop()
    else await notify(this.#app.db, stopChannel, [messageId])
  }

  /** Resolves when there may be news of an answer of another process, or `signal` aborts. `reader` is the same at each call of a reader. */
  async news(messageId: string, reader: RemoteReader, signal: AbortSignal): Promise<void> {
    const waiting = this.#waiting.get(messageId) ?? new Set()
    this.#waiting.set(messageId, waiting)
    const late = new AbortController()
    const woken = Promise.withResolvers<void>()
    waiting.add(woken.resolve)
    signal.addEventListener('abort', () => woken.resolve(), { signal: late.signal })
    try {
      const nowMs = steadyClock.nowMs()
      if (nowMs - reader.announcedMs >= pollMs) {
        reader.announcedMs = nowMs
        await notify(this.#app.db, readersChannel, [messageId])
      }
      if (!signal.aborted)
        await Promise.race([woken.promise, pause(pollMs, undefined, { signal: late.signal }).catch(() => {})])
    } finally {
      late.abort()
      waiting.delete(woken.resolve)
      if (waiting.size === 0) this.#waiting.delete(messageId)
    }
  }

  /** Ends the messages of dead processes, and those of this process whose beginning failed. */
  async recover(): Promise<void> {
    const ended = await endLostAnswers(this.#app, (messageId) => this.#live.has(messageId))
    await notify(this.#app.db, partsChannel, ended)
  }

  /** Lets the answers end for the time of a drain, and then stops them with what came. */
  async [Symbol.asyncDispose](): Promise<void> {
    const endMs = steadyClock.nowMs() + this.#app.config.timing.drainMs
    await this.#whenIdle(endMs - settleMs)
    for (const answer of this.#live.values()) answer.stop()
    await this.#whenIdle(endMs)
    await this.#listener[Symbol.asyncDispose]()
  }

  async #whenIdle(untilMs: number): Promise<void> {
    if (this.#live.size === 0) return
    const late = new AbortController()
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
    const waitMs = Math.max(0, untilMs - steadyClock.nowMs())
    await Promise.race([idle, pause(waitMs, undefined, { signal: late.signal }).catch(() => {})])
    late.abort()
  }

  async #notifyReaders(messageIds: string[]): Promise<void> {
    await notify(this.#app.db, partsChannel, messageIds).catch(() => undefined)
  }

  async #run(answer: LiveAnswer, place: Disposable): Promise<void> {
    const { messageId } = answer.ids
    try {
      const end = await answer.run()
      answer.isEnding = true
      await this.#flushing
      await endAnswer(this.#app, answer, end)
      // What is not indexed here is found by the job.
      void indexMessages(this.#app.db, [answer.ids]).catch(() => undefined)
    } catch (error) {
      // The message is ended by `recover`, as what it no longer is here.
      this.#app.log.error({ err: error, message: messageId }, 'an answer could not be ended')
    }
    this.#live.delete(messageId)
    place[Symbol.dispose]()
    answer.close()
    if (this.#live.size === 0) this.#onIdle?.()
    if (answer.isReadElsewhere) await this.#notifyReaders([messageId])
  }

  #onTick(): void {
    for (const answer of this.#live.values()) answer.announce()
    const nowMs = steadyClock.nowMs()
    if (!this.#flushing && nowMs - this.#flushedMs >= flushMs) {
      this.#flushedMs = nowMs
      this.#flushing = this.#flush().finally(() => {
        this.#flushing = undefined
      })
    }
    if (this.#live.size > 0) this.#tick.restart()
  }

  /** Stores what came of all answers; what could not be stored is stored with the next flush. */
  async #flush(): Promise<void> {
    const taken = [...this.#live.values()]
      .filter(({ isEnding }) => !isEnding)
      .map((answer) => ({ answer, pieces: answer.parts.after(answer.flushed), end: answer.parts.end }))
      .filter(({ pieces }) => pieces.length > 0)
    if (taken.length === 0) return
    try {
      const there = await flushParts(
        this.#app.db,
        taken.map(({ answer }) => answer.ids),
        taken.flatMap(({ answer, pieces }) => pieces.map((piece) => writeOf(answer.ids, piece))),
      )
      for (const { answer, end } of taken)
        if (there.has(answer.ids.messageId)) answer.flushed = end
        // Its conversation was deleted, or another process has taken this one for dead.
        else answer.stop()
    } catch (error) {
      this.#app.log.warn({ err: error }, 'parts of answers could not be stored; it is tried again')
      return
    }
    const read = taken.filter(({ answer }) => answer.isReadElsewhere)
    await this.#notifyReaders(read.map(({ answer }) => answer.ids.messageId))
  }

  #onMessage(channel: string, payload: string): void {
    for (const messageId of payload.split(' ')) {
      const own = this.#live.get(messageId)
      if (channel === stopChannel) own?.stop()
      else if (channel === readersChannel) own?.noteReader()
      else for (const wake of this.#waiting.get(messageId) ?? []) wake()
    }
  }

  #wakeAll(): void {
    for (const waiting of this.#waiting.values()) for (const wake of waiting) wake()
  }
}

/** One runner for each process. */
const runners = new WeakMap<AnswersApp['turns'], AnswerRunner>()

/** The runner of this process, which is made at the first call. */
export function runnerOf(app: AnswersApp): AnswerRunner {
  const runner = runners.get(app.turns) ?? new AnswerRunner(app)
  runners.set(app.turns, runner)
  return runner
}

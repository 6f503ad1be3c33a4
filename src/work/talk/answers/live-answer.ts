/** One answer under way in this process: it takes the parts of its model, and settles together with its end. */
import type { AnswerListener, PaidTurn } from '#core/inference'
import type { AnswerPart } from '#core/turn'
import { asFailure, type Failure } from '#platform/errors'
import { MergedParts, type Position } from './merged-parts.ts'

export interface AnswerIds {
  accountId: string
  conversationId: string
  /** The id of the answer's message. */
  messageId: string
  personId: string
  receiptId: string
}

/** How the parts of an answer ended; a failure has no charge. */
export type AnswerEnd = { state: 'complete' | 'stopped' } | { state: 'failed'; failure: Failure }

export class LiveAnswer implements AnswerListener {
  readonly ids: AnswerIds
  readonly paid: PaidTurn
  readonly parts = new MergedParts()
  /** What the database has of the parts. */
  flushed: Position = { ordinal: 0, characters: 0 }
  /** True while something was added that its readers in this process have not been shown. */
  hasNews = false
  /** True once all parts have come: what is not flushed is stored with the end. */
  isEnding = false
  readonly #ended = Promise.withResolvers<AnswerEnd>()
  readonly #readers = new Set<() => void>()
  #isStopped = false

  constructor(ids: AnswerIds, paid: PaidTurn) {
    this.ids = ids
    this.paid = paid
  }

  /** True once its message has ended. */
  hasEnded = false
  /** Whether somebody reads it on another process. */
  isReadElsewhere = false

  noteReader(): void {
    this.isReadElsewhere = true
  }

  /** Begins the answer; resolves when all its parts have come. */
  run(): Promise<AnswerEnd> {
    this.paid.start(this)
    return this.#ended.promise
  }

  /** Stops the answer: what came is kept and charged. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.paid.leave()
  }

  part(part: AnswerPart): void {
    if (this.parts.add(part)) this.hasNews = true
  }

  flush(): void {}

  done(): void {
    this.#end({ state: this.#isStopped ? 'stopped' : 'complete' })
  }

  failed(failure: unknown): void {
    this.#end(this.#isStopped ? { state: 'stopped' } : { state: 'failed', failure: asFailure(failure) })
  }

  #end(end: AnswerEnd): void {
    this.parts.finish()
    this.#ended.resolve(end)
  }

  /** Calls `wake` when there is news, until disposed. */
  watch(wake: () => void): Disposable {
    this.#readers.add(wake)
    return { [Symbol.dispose]: () => void this.#readers.delete(wake) }
  }

  /** Wakes the readers if there is news for them. */
  announce(): void {
    if (!this.hasNews) return
    this.hasNews = false
    for (const wake of this.#readers) wake()
  }

  /** Notes that the message has ended, and wakes the readers. */
  close(): void {
    this.hasEnded = true
    this.hasNews = true
    this.announce()
  }
}

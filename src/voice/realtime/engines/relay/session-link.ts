/** The session at the upstream: opens it, keeps its conversation up to date, and opens it again where the upstream leaves. */
import { isDeepStrictEqual } from 'node:util'
import {
  type RealtimeLink,
  type RealtimeProvider,
  type RealtimeSetup,
  type RealtimeSink,
  type Timeouts,
  UpstreamError,
} from '#core/spec'
import type { Conversation } from '../../parts.ts'
import { inputsOf } from './items.ts'

/** An upstream that has the model. */
export interface RelayUpstream {
  /** The deployment as `provider/model`, for the operator. */
  deployment: string
  provider: RealtimeProvider
  /** The model's name at the upstream. */
  upstreamModel: string
  timeouts: Timeouts
}

export interface SessionLinkOptions {
  /** The upstreams in the order in which they are tried when the call begins; the first that opens a session keeps the call to its end. */
  upstreams: readonly RelayUpstream[]
  signal: AbortSignal
  conversation: Conversation
  setup(): RealtimeSetup
}

/** Receives the upstream's reports, with ids of the conversation in place of the upstream's. */
export interface LinkListener
  extends Pick<RealtimeSink, 'userTranscript' | 'began' | 'sound' | 'words' | 'functionCall' | 'finished'> {
  failed(error: UpstreamError): void
  leaving(): void
}

export class SessionLink {
  readonly #options: SessionLinkOptions
  readonly #listener: LinkListener
  #upstream: RelayUpstream | undefined
  #link: RealtimeLink | undefined
  #opening: Promise<void> | undefined
  /** Counts sessions, so that late reports of an earlier one are dropped. */
  #sessions = 0
  /** The upstream's ids by those of the conversation, and the reverse. */
  readonly #upstreamIds = new Map<string, string>()
  readonly #itemIds = new Map<string, string>()
  /** The ids of the items that the upstream has. */
  readonly #known = new Set<string>()
  /** The known items that came since the last response: a wire may send them only with the next one. */
  readonly #unanswered = new Set<string>()
  /** The last setup that was sent to the session. */
  #told: RealtimeSetup | undefined
  /** The ids of committed turns that the upstream has not named yet. */
  #committing: string[] = []
  /** The last committed turn, until a response is requested, and the sound that its session had not sent. */
  #turn: string | undefined
  #unsent: readonly Uint8Array[] = []

  constructor(options: SessionLinkOptions, listener: LinkListener) {
    this.#options = options
    this.#listener = listener
  }

  /** The rate of the sound that the upstream takes; that of the first one until a session was open. */
  get inputRate(): RealtimeProvider['inputRate'] {
    return (this.#upstream ?? this.#options.upstreams[0]!).provider.inputRate
  }

  get deployment(): string {
    return (this.#upstream ?? this.#options.upstreams[0]!).deployment
  }

  get isOpen(): boolean {
    return this.#link !== undefined && this.#opening === undefined
  }

  /** Opens a session, or another one in place of the one before; `syncItems` then sends it what it lacks. Throws `UpstreamError`. */
  open(): Promise<void> {
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Resolves when the session that is being opened, if any, is open. */
  async ready(): Promise<void> {
    await this.#opening
  }

  async close(): Promise<void> {
    this.#sessions += 1
    const link = this.#link
    this.#leave()
    await link?.close()
  }

  #leave(): void {
    this.#unsent = this.#link?.unsent ?? this.#unsent
    this.#link = undefined
  }

  /** Sends the settings where they differ from those sent last: a wire may need another session for that. */
  update(): void {
    const setup = this.#options.setup()
    if (!this.#link || isDeepStrictEqual(setup, this.#told)) return
    this.#told = setup
    this.#link.update(setup)
  }

  /** Sends the upstream the items that it lacks, and removes those that are no longer in the conversation. */
  syncItems(): void {
    if (!this.isOpen) return
    const { conversation } = this.#options
    for (const id of this.#known)
      if (!conversation.get(id)) {
        this.#known.delete(id)
        this.#link?.remove(this.#upstreamIds.get(id) ?? id)
      }
    for (const item of conversation.items) {
      if (this.#known.has(item.id) || item.status === 'in_progress') continue
      this.#known.add(item.id)
      this.#unanswered.add(item.id)
      for (const input of inputsOf(item, conversation)) this.#link?.add(input)
    }
  }

  write(pcm: Uint8Array): void {
    if (this.isOpen) this.#link?.write(pcm)
  }

  discard(): void {
    this.#link?.discard()
  }

  /** Commits the sound that was written as this item. */
  commit(itemId: string): void {
    this.#turn = itemId
    this.#known.add(itemId)
    this.#committing.push(itemId)
    this.#link?.commit()
  }

  /** Records an item that the upstream made itself. */
  recordItem(itemId: string, upstreamItemId: string): void {
    this.#name(itemId, upstreamItemId)
    this.#known.add(itemId)
  }

  respond(): void {
    this.#unanswered.clear()
    this.#turn = undefined
    this.#link?.respond()
  }

  cancel(): void {
    this.#link?.cancel()
  }

  truncate(itemId: string, playedMs: number): void {
    const upstreamItemId = this.#upstreamIds.get(itemId)
    if (upstreamItemId !== undefined) this.#link?.truncate(upstreamItemId, playedMs)
  }

  async #connect(): Promise<void> {
    const resumption = this.#link?.resumption
    await this.close()
    this.#committing = []
    const session = this.#sessions
    const link = await this.#first(session, resumption)
    if (session !== this.#sessions) {
      await link.close()
      return
    }
    this.#link = link
    for (const id of this.#unanswered) this.#known.delete(id)
    this.#unanswered.clear()
    if (resumption === undefined) {
      this.#known.clear()
      this.#upstreamIds.clear()
      this.#itemIds.clear()
    }
    this.#commitUnsent(link)
  }

  /** Commits the user's sound that the former session had not sent, where its turn was not answered there. */
  #commitUnsent(link: RealtimeLink): void {
    const unsent = this.#unsent
    this.#unsent = []
    if (this.#turn === undefined || unsent.length === 0) return
    for (const pcm of unsent) link.write(pcm)
    this.commit(this.#turn)
  }

  /** Opens a session at the first upstream that succeeds; a failed one was asked for no response. */
  async #first(session: number, resumption: string | undefined): Promise<RealtimeLink> {
    const { upstreams, signal, setup } = this.#options
    let failure: UpstreamError | undefined
    for (const upstream of this.#upstream ? [this.#upstream] : upstreams) {
      const { provider, upstreamModel, timeouts } = upstream
      try {
        this.#told = setup()
        const call = { upstreamModel, timeouts, signal, setup: this.#told, resumption }
        const link = await provider.connect(call, this.#sink(session))
        this.#upstream = upstream
        return link
      } catch (error) {
        if (!(error instanceof UpstreamError) || signal.aborted) throw error
        failure = error
      }
    }
    throw failure ?? new UpstreamError('connect', { detail: 'no upstream has the model' })
  }

  #name(itemId: string, upstreamItemId: string): void {
    this.#upstreamIds.set(itemId, upstreamItemId)
    this.#itemIds.set(upstreamItemId, itemId)
  }

  #sink(session: number): RealtimeSink {
    const listener = this.#listener
    const isNow = (): boolean => session === this.#sessions
    const itemIdOf = (upstreamItemId: string): string => this.#itemIds.get(upstreamItemId) ?? upstreamItemId
    return {
      committed: (upstreamItemId) => {
        const itemId = isNow() ? this.#committing.shift() : undefined
        if (itemId !== undefined) this.#name(itemId, upstreamItemId)
      },
      userTranscript: (transcript) => {
        if (isNow()) listener.userTranscript({ ...transcript, itemId: itemIdOf(transcript.itemId) })
      },
      began: (upstreamItemId) => void (isNow() && listener.began(upstreamItemId)),
      sound: (upstreamItemId, pcm) => void (isNow() && listener.sound(upstreamItemId, pcm)),
      words: (upstreamItemId, delta, spoken) =>
        void (isNow() && listener.words(upstreamItemId, delta, spoken)),
      functionCall: (call) => void (isNow() && listener.functionCall(call)),
      finished: (end) => void (isNow() && listener.finished(end)),
      leaving: () => void (isNow() && listener.leaving()),
      failed: (error) => {
        if (!isNow()) return
        this.#sessions += 1
        this.#leave()
        listener.failed(error)
      },
    }
  }
}

/** The session at the upstream: opened, told what the conversation has, and opened again where the upstream leaves. */
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

/** One that has the model. */
export interface RelayUpstream {
  /** `provider/model`, for the operator. */
  deployment: string
  provider: RealtimeProvider
  /** The model's name there. */
  upstreamModel: string
  timeouts: Timeouts
}

export interface SessionLinkOptions {
  /** In the order in which they are tried when the call begins; the first that opens a session has the call to its end. */
  upstreams: readonly RelayUpstream[]
  signal: AbortSignal
  conversation: Conversation
  setup(): RealtimeSetup
}

/** What the engine is told, with ids of the conversation in place of the upstream's. */
export interface LinkListener
  extends Pick<RealtimeSink, 'heard' | 'began' | 'sound' | 'words' | 'functionCall' | 'finished'> {
  failed(error: UpstreamError): void
  leaving(): void
}

export class SessionLink {
  readonly #options: SessionLinkOptions
  readonly #listener: LinkListener
  #upstream: RelayUpstream | undefined
  #link: RealtimeLink | undefined
  #opening: Promise<void> | undefined
  /** Counts sessions, so that what an earlier one still says is told to nobody. */
  #sessions = 0
  /** Ids of the upstream by ours, and ours by those. */
  readonly #theirs = new Map<string, string>()
  readonly #ours = new Map<string, string>()
  /** Items that the upstream has. */
  readonly #known = new Set<string>()
  /** Those of them that came since the last response: a wire may send them with the next one only. */
  readonly #unanswered = new Set<string>()
  /** What the session was told last. */
  #told: RealtimeSetup | undefined
  /** Of turns that were committed, until the upstream names them. */
  #committing: string[] = []
  /** The last turn that was committed, until a response is asked for, and sound that its session still had. */
  #turn: string | undefined
  #unsent: readonly Uint8Array[] = []

  constructor(options: SessionLinkOptions, listener: LinkListener) {
    this.#options = options
    this.#listener = listener
  }

  /** Of the sound that it takes, once a session was open. */
  get inputRate(): RealtimeProvider['inputRate'] {
    return (this.#upstream ?? this.#options.upstreams[0]!).provider.inputRate
  }

  get deployment(): string {
    return (this.#upstream ?? this.#options.upstreams[0]!).deployment
  }

  get isOpen(): boolean {
    return this.#link !== undefined && this.#opening === undefined
  }

  /** Opens a session, or another one in place of the one before; `follow` then tells it what it does not know. Throws `UpstreamError`. */
  open(): Promise<void> {
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Resolves when a session is open, if one is being opened. */
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

  /** Where the settings are others than the session was told: a wire may need another session for that. */
  update(): void {
    const setup = this.#options.setup()
    if (!this.#link || isDeepStrictEqual(setup, this.#told)) return
    this.#told = setup
    this.#link.update(setup)
  }

  /** Tells the upstream what of the conversation it does not have, and what is no longer there. */
  follow(): void {
    if (!this.isOpen) return
    const { conversation } = this.#options
    for (const id of this.#known)
      if (!conversation.get(id)) {
        this.#known.delete(id)
        this.#link?.remove(this.#theirs.get(id) ?? id)
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

  /** What was written is this item. */
  commit(itemId: string): void {
    this.#turn = itemId
    this.#known.add(itemId)
    this.#committing.push(itemId)
    this.#link?.commit()
  }

  /** The upstream made this item itself. */
  made(itemId: string, theirs: string): void {
    this.#name(itemId, theirs)
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
    const theirs = this.#theirs.get(itemId)
    if (theirs !== undefined) this.#link?.truncate(theirs, playedMs)
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
      this.#theirs.clear()
      this.#ours.clear()
    }
    this.#commitUnsent(link)
  }

  /** What the user said to the session before, and was not answered there. */
  #commitUnsent(link: RealtimeLink): void {
    const unsent = this.#unsent
    this.#unsent = []
    if (this.#turn === undefined || unsent.length === 0) return
    for (const pcm of unsent) link.write(pcm)
    this.commit(this.#turn)
  }

  /** Nothing was asked of one that fails here. */
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

  #name(itemId: string, theirs: string): void {
    this.#theirs.set(itemId, theirs)
    this.#ours.set(theirs, itemId)
  }

  #sink(session: number): RealtimeSink {
    const listener = this.#listener
    const isNow = (): boolean => session === this.#sessions
    const ours = (theirs: string): string => this.#ours.get(theirs) ?? theirs
    return {
      committed: (theirs) => {
        const itemId = isNow() ? this.#committing.shift() : undefined
        if (itemId !== undefined) this.#name(itemId, theirs)
      },
      heard: (transcript) => {
        if (isNow()) listener.heard({ ...transcript, itemId: ours(transcript.itemId) })
      },
      began: (theirs) => void (isNow() && listener.began(theirs)),
      sound: (theirs, pcm) => void (isNow() && listener.sound(theirs, pcm)),
      words: (theirs, delta, spoken) => void (isNow() && listener.words(theirs, delta, spoken)),
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

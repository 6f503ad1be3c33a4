import { type VoiceFrame, VoiceFrames, type VoiceFramesOptions } from '#core/sound'
import type { TurnDetection } from '../parts.ts'
import { frameSamples, RecentFrames, Samples } from './samples.ts'
import { maxFrames, Utterance } from './utterance.ts'
import { isBackchannel, isQuestion, waitMsOf } from './words-of-end.ts'

/** What somebody said, from the silence before it to the silence behind it. */
export interface Turn {
  /** 1, 2, 3 … of a call. */
  number: number
  /** 16 kHz, mono, 60 s at most: from `startMs` to at most 200 ms behind `endMs`. Nobody writes to it any more. */
  samples: Float32Array
  /** Of the first sample, in ms since the call's first frame: up to `prefixMs` before speech was heard. */
  startMs: number
  /** Where speech ended. */
  endMs: number
  /** What `words` said of all of it; absent: it is to be transcribed. */
  words?: string
  /** The pause whose early transcription is of all of it, also where its words are not known yet. */
  pause?: number
  /** `limit`: 60 s are over; who speaks on begins the next turn. `client`: it was committed. */
  reason: 'words' | 'silence' | 'limit' | 'client'
}

/** A moment at which what was said so far may be transcribed, before the turn is over. */
export interface Pause {
  /** 1, 2, 3 … of a call. */
  number: number
  turn: number
  /** As of a `Turn`, until now. */
  samples: Float32Array
  startMs: number
  /** The end of `samples`: pass it to `words`. */
  untilMs: number
}

/** Told of every decision, within `write`, `words`, `commit` or `assistantSpeaks`. */
export interface TurnListener {
  /** Somebody speaks. While the assistant speaks it comes behind `interrupted` only. */
  started(turn: { number: number; startMs: number }): void
  /** Nothing was heard for 100 ms (or somebody speaks into the assistant's words): an early transcription may start. */
  paused(pause: Pause): void
  /** Speech went on for 120 ms or more: the early transcription of that pause is of no use any more. */
  resumed(pause: number): void
  ended(turn: Turn): void
  /** Speech went on soon after `ended`, and the answer was hardly heard: it is withdrawn, and the same turn ends once more, with all its samples. */
  withdrawn(turn: number): void
  /** Somebody may be interrupting: speak lower. `unduck`, `interrupted` or the end of what is spoken follows. */
  duck(): void
  /** It was nothing, or "yes, yes": speak on. */
  unduck(): void
  /** Somebody interrupts in words: be silent. */
  interrupted(): void
  /** Nobody spoke for `idleMs` since the assistant did; once. */
  idle(): void
}

/** Of `VoiceFrames`. */
export interface Voice extends Disposable {
  next(frame: Float32Array): Pick<VoiceFrame, 'isVoiced'>
  set(options: VoiceFramesOptions): void
}

const frameMs = 20
const framesOf = (ms: number): number => Math.ceil(ms / frameMs)

/** Of silence without `silenceMs`, of words that are not known in time, and of what may be transcribed early. */
const plainMs = 500
const unknownMs = 700
const pauseFrames = framesOf(100)
/** Who goes on so soon was not at the end. */
const withdrawFrames = framesOf(700)
const withdrawVoicedFrames = framesOf(120)
/** Of an answer: whoever has heard more knows that it was given. */
const heardFrames = framesOf(300)
/** Detectors find speech up to 140 ms late, and the voice has to be lower 200 ms after it began. */
const duckVoicedFrames = framesOf(80)
/** Less is a noise as likely as a word: it is not transcribed, and the voice is raised again soon after it. */
const wordVoicedFrames = framesOf(200)
const noiseQuietFrames = framesOf(200)
const overlapVoicedFrames = framesOf(500)
const overlapFrames = framesOf(1_200)
const backchannelFrames = framesOf(700)
const forgetFrames = framesOf(700)
const forgetPendingFrames = framesOf(3_000)
const shortestFrames = framesOf(100)
const maxPrefixMs = 1_000

/**
 * Decides in a call when somebody begins to speak, when their turn is over and whether they interrupt (docs/decisions/0088). It is given
 * sound, words and what the assistant does, and calls its listener; time is counted in frames. What is opened is closed, by `using`.
 */
export class TurnTaking implements Disposable {
  readonly #listener: TurnListener
  readonly #voice: Voice
  readonly #recent = new RecentFrames(framesOf(maxPrefixMs) + 4)
  #detection: TurnDetection | null
  /** How many came, and where the samples begin that no turn has. */
  #frames = 0
  #freeFrom = 0
  /** Whether the last four were voiced, the newest in the lowest bit. */
  #lastFour = 0
  #turns = 0
  #pauses = 0
  #current: Utterance | undefined
  /** It ended so little ago that it may go on. */
  #ended: { utterance: Utterance; at: number } | undefined
  /** Of who decides by themselves when a turn is over: all that came. */
  #collected = new Samples(maxFrames * frameSamples)
  #isAssistantSpeaking = false
  #assistantFrames = 0
  #wasAsked = false
  /** Frames since the assistant was silent, while nobody spoke. */
  #idleFrames: number | undefined

  constructor(detection: TurnDetection | null, listener: TurnListener, voice: Voice) {
    this.#detection = detection
    this.#listener = listener
    this.#voice = voice
    this.#setVoice()
  }

  static async open(detection: TurnDetection | null, listener: TurnListener): Promise<TurnTaking> {
    return new TurnTaking(detection, listener, await VoiceFrames.open())
  }

  [Symbol.dispose](): void {
    this.#voice[Symbol.dispose]()
  }

  /** 20 ms at 16 kHz: 320 samples, which it copies. */
  write(frame: Float32Array): void {
    if (frame.length !== frameSamples) throw new RangeError(`a frame of ${frame.length} samples`)
    const { isVoiced } = this.#voice.next(frame)
    this.#lastFour = ((this.#lastFour << 1) | (isVoiced ? 1 : 0)) & 0b1111
    this.#recent.put(this.#frames++, frame)
    if (this.#isAssistantSpeaking) this.#assistantFrames++
    if (this.#detection) this.#detect(this.#detection, frame, isVoiced)
    else this.#collect(frame)
  }

  /** The transcript of the turn that is spoken now, as far as it is known: of the sound before `untilMs` (absent: all of it). One of another turn is ignored. */
  words(turn: number, text: string, untilMs?: number): void {
    const current = this.#current
    if (current?.number !== turn) return
    current.hear(text, untilMs === undefined ? this.#frames : Math.floor(untilMs / frameMs))
    this.#decide(current)
  }

  assistantSpeaks(isSpeaking: boolean): void {
    if (isSpeaking === this.#isAssistantSpeaking) return
    this.#isAssistantSpeaking = isSpeaking
    if (isSpeaking) this.#assistantFrames = 0
    this.#idleFrames = isSpeaking || this.#current?.isKnown ? undefined : 0
    this.#setVoice()
    // Nothing is left to be interrupted: what was said into the last words is a turn, and may be the answer to them.
    if (!isSpeaking && this.#current?.isOverlapping) this.#settle(this.#current)
  }

  /** The sentence that the assistant spoke last: after a question shorter answers are waited for. */
  assistantSaid(text: string): void {
    this.#wasAsked = isQuestion(text)
  }

  /** The client ends the turn. False: less than 100 ms of sound are there. */
  commit(): boolean {
    const current = this.#current
    if (this.#detection) {
      if (!current) return false
      if (!current.isKnown) this.#announce(current)
      this.#end(current, 'client')
      return true
    }
    const samples = this.#collected
    if (samples.length < shortestFrames * frameSamples) return false
    this.#collected = new Samples(maxFrames * frameSamples)
    this.#freeFrom = this.#frames
    const startMs = frameMs * (this.#frames - samples.length / frameSamples)
    this.#listener.ended({
      number: ++this.#turns,
      samples: samples.first(samples.length),
      startMs,
      endMs: frameMs * this.#frames,
      reason: 'client',
    })
    return true
  }

  /** The client discards what was said. */
  clear(): void {
    this.#collected = new Samples(maxFrames * frameSamples)
    this.#freeFrom = this.#frames
    this.#ended = undefined
    if (this.#current) this.#forget(this.#current)
  }

  /** Takes effect with the next frame. Who decides by themselves from now on has what is being said; what was collected before is discarded. */
  update(detection: TurnDetection | null): void {
    if (!detection && this.#detection && this.#current) {
      const { samples } = this.#current
      this.#collected = new Samples(maxFrames * frameSamples)
      this.#collected.append(samples.first(samples.length))
      this.#forget(this.#current)
    }
    if (detection && !this.#detection) this.clear()
    this.#ended = undefined
    this.#idleFrames = undefined
    this.#detection = detection
    this.#setVoice()
  }

  /** Who speaks into the assistant's words has to be louder, and clearer, than its echo. */
  #setVoice(): void {
    const aboveNoise = 7 + 12 * ((this.#detection?.threshold ?? 0.5) - 0.5)
    this.#voice.set(
      this.#isAssistantSpeaking
        ? { strictness: 3, aboveNoise: aboveNoise + 6 }
        : { strictness: 2, aboveNoise },
    )
  }

  #detect(detection: TurnDetection, frame: Float32Array, isVoiced: boolean): void {
    this.#keepEnded(frame)
    if (!this.#current) this.#begin(detection)
    else this.#goOn(this.#current, frame, isVoiced)
    this.#countIdle(detection)
  }

  #collect(frame: Float32Array): void {
    // A second at a time, so that it is not copied at each frame.
    if (this.#collected.isFull) this.#collected.dropFirst(50 * frameSamples)
    this.#collected.append(frame)
  }

  /** Until it is too late to go on, the silence behind a turn belongs to it. */
  #keepEnded(frame: Float32Array): void {
    if (!this.#ended) return
    const { utterance, at } = this.#ended
    utterance.samples.append(frame)
    if (utterance.samples.isFull) this.#keepApart()
    else if (!this.#current && this.#frames - at > withdrawFrames) this.#ended = undefined
  }

  get #isOnset(): boolean {
    return voicedOf[this.#lastFour]! >= 3
  }

  #begin(detection: TurnDetection): void {
    if (!this.#isOnset) return
    const voicedFrom = this.#frames - (this.#lastFour & 0b1000 ? 4 : 3)
    const prefix = framesOf(Math.min(maxPrefixMs, detection.prefixMs))
    const current = new Utterance(++this.#turns, Math.max(this.#freeFrom, voicedFrom - prefix), {
      voicedUntil: this.#frames,
      voicedFrames: voicedOf[this.#lastFour]!,
      overlaps: this.#isAssistantSpeaking && detection.interruptResponse,
    })
    current.takeFrom(this.#recent, this.#frames)
    this.#current = current
    if (!current.isOverlapping && !this.#ended) this.#announce(current)
  }

  #goOn(current: Utterance, frame: Float32Array, isVoiced: boolean): void {
    current.samples.append(frame)
    if (current.isPausing ? this.#isOnset : isVoiced) {
      current.voicedFrames += current.isPausing ? voicedOf[this.#lastFour]! : 1
      current.isPausing = false
      current.voicedUntil = this.#frames
      this.#spoken(current)
    } else if (!current.isPausing && this.#frames - current.voicedUntil >= pauseFrames) {
      current.isPausing = true
      if (this.#ended) this.#current = undefined
      else if (!current.isOverlapping || current.voicedFrames >= wordVoicedFrames) this.#pause(current)
    }
    if (this.#current === current) this.#decide(current)
  }

  /** One more frame of speech. */
  #spoken(current: Utterance): void {
    if (this.#ended) {
      if (current.voicedFrames >= withdrawVoicedFrames) this.#goOnOrBegin(current, this.#ended.utterance)
    } else if (current.isOverlapping) this.#overlapping(current)
    else {
      const pause = current.voidPause()
      if (pause !== undefined) this.#listener.resumed(pause)
    }
  }

  #overlapping(current: Utterance): void {
    if (!current.wasDucked && current.voicedFrames >= duckVoicedFrames) {
      current.wasDucked = true
      current.duckedAt = this.#frames
      this.#listener.duck()
    }
    if (current.voicedFrames === overlapVoicedFrames) this.#pause(current)
  }

  /** Somebody speaks soon after their turn ended: they go on with it, or have heard the answer and speak anew. */
  #goOnOrBegin(current: Utterance, utterance: Utterance): void {
    if (this.#isAssistantSpeaking && this.#assistantFrames > heardFrames) {
      this.#keepApart()
      return
    }
    this.#ended = undefined
    utterance.isPausing = false
    utterance.voicedFrames += current.voicedFrames
    utterance.voicedUntil = current.voicedUntil
    utterance.voidPause()
    this.#current = utterance
    this.#idleFrames = undefined
    this.#listener.withdrawn(utterance.number)
  }

  /** What is spoken now does not belong to the turn that ended. */
  #keepApart(): void {
    this.#ended = undefined
    if (this.#current && !this.#current.isOverlapping) this.#announce(this.#current)
  }

  #announce(current: Utterance): void {
    this.#idleFrames = undefined
    this.#ended = undefined
    current.isOverlapping = false
    current.isKnown = true
    this.#listener.started({ number: current.number, startMs: current.startMs })
  }

  #pause(current: Utterance): void {
    if (current.pause !== undefined) return
    current.pausedWith(++this.#pauses)
    this.#listener.paused({
      number: this.#pauses,
      turn: current.number,
      samples: current.samples.first(current.samples.length),
      startMs: current.startMs,
      untilMs: frameMs * this.#frames,
    })
  }

  #decide(current: Utterance): void {
    if (this.#ended) return
    if (current.isOverlapping) this.#judge(current)
    else if (current.samples.isFull) this.#end(current, 'limit')
    else if (current.isPausing) {
      const { waitMs, reason } = this.#waitFor(current)
      if (this.#frames - current.voicedUntil >= framesOf(waitMs)) this.#end(current, reason)
    }
  }

  #waitFor(current: Utterance): { waitMs: number; reason: 'words' | 'silence' } {
    if (!this.#goesByWords) return { waitMs: this.#detection!.silenceMs ?? plainMs, reason: 'silence' }
    const { words } = current
    if (words === undefined) return { waitMs: unknownMs, reason: 'silence' }
    return { waitMs: waitMsOf(words, this.#wasAsked), reason: 'words' }
  }

  get #goesByWords(): boolean {
    return this.#detection?.type === 'semantic_vad' && this.#detection.silenceMs === undefined
  }

  #end(current: Utterance, reason: Turn['reason']): void {
    const isCut = reason === 'limit' && !current.isPausing
    const until = isCut ? this.#frames : current.takenUntil
    const { pause, words } = current
    this.#current = undefined
    this.#lastFour = 0
    this.#freeFrom = until
    if (isCut) {
      const voiced = { voicedUntil: this.#frames, voicedFrames: 0, overlaps: false }
      this.#current = new Utterance(++this.#turns, this.#frames, voiced)
    } else if (
      reason !== 'client' &&
      reason !== 'limit' &&
      this.#goesByWords &&
      this.#detection!.createResponse
    )
      this.#ended = { utterance: current, at: this.#frames }
    this.#listener.ended({
      number: current.number,
      samples: current.samples.first((until - current.from) * frameSamples),
      startMs: current.startMs,
      endMs: frameMs * current.voicedUntil,
      ...(words !== undefined && { words }),
      ...(pause !== undefined && { pause }),
      reason,
    })
    if (isCut && this.#current) this.#announce(this.#current)
  }

  /** It came while the assistant spoke: does it interrupt? */
  #judge(current: Utterance): void {
    const said = current.firstWords.trim()
    const isListening = current.voicedFrames < backchannelFrames && isBackchannel(said)
    if (said && !isListening) this.#interrupt(current)
    else this.#goOnBeside(current, !said)
  }

  /** It does not, so far. */
  #goOnBeside(current: Utterance, isWordless: boolean): void {
    const isHeard = current.isPausing && current.words !== undefined
    const isLate = current.duckedAt !== undefined && this.#frames - current.duckedAt >= overlapFrames
    const quietFrames = this.#frames - current.voicedUntil
    const isNoise = current.voicedFrames < wordVoicedFrames && quietFrames >= noiseQuietFrames
    if (isHeard || isLate || isNoise) this.#unduck(current)
    if (isNoise) current.wasDucked = false
    const isPending = current.pause !== undefined && !isHeard
    if (
      (isHeard && isWordless) ||
      quietFrames >= (isPending ? forgetPendingFrames : forgetFrames) ||
      current.samples.isFull
    )
      this.#forget(current)
  }

  #interrupt(current: Utterance): void {
    current.isOverlapping = false
    current.duckedAt = undefined
    this.#listener.interrupted()
    if (this.#current === current) this.#announce(current)
  }

  #unduck(current: Utterance): void {
    if (current.duckedAt === undefined) return
    current.duckedAt = undefined
    this.#listener.unduck()
  }

  #forget(current: Utterance): void {
    this.#current = undefined
    this.#lastFour = 0
    this.#unduck(current)
  }

  /** The assistant has stopped: what it was not known of is a turn as any other. */
  #settle(current: Utterance): void {
    current.isOverlapping = false
    current.duckedAt = undefined
    if (this.#ended) return
    this.#announce(current)
    if (current.isPausing && this.#current === current) this.#pause(current)
  }

  #countIdle({ idleMs }: TurnDetection): void {
    if (this.#idleFrames === undefined || idleMs === undefined || ++this.#idleFrames < framesOf(idleMs))
      return
    this.#idleFrames = undefined
    this.#listener.idle()
  }
}

/** How many bits of a number of four are set. */
const voicedOf = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4]

import { type VoiceFrame, VoiceFrames, type VoiceFramesOptions } from '#core/sound'
import type { TurnDetection } from '../parts.ts'
import { frameSamples, RecentFrames, SampleBuffer } from './samples.ts'
import { maxFrames, Utterance } from './utterance.ts'
import { isBackchannel, isQuestion, waitMsOf } from './words-of-end.ts'

/** The speech of one turn, from the silence before it to the silence after it. */
export interface CallerTurn {
  /** The number in the call: 1, 2, 3 … */
  number: number
  /** 16 kHz, mono, 60 s at most: from `startMs` to at most 200 ms after `endMs`. They are never written to again. */
  samples: Float32Array
  /** The time of the first sample, in ms since the call's first frame: up to `prefixMs` before speech was detected. */
  startMs: number
  /** The time at which speech ended. */
  endMs: number
  /** The text that `addTranscript` gave for all of it; absent: the turn is still to be transcribed. */
  addTranscript?: string
  /** The pause whose early transcription covers the whole turn, even if its words are not known yet. */
  pause?: number
  /** `limit`: 60 s are over; a speaker who goes on begins the next turn. `client`: the client committed the turn. */
  reason: 'words' | 'silence' | 'limit' | 'client'
}

/** A moment at which the speech so far may be transcribed, before the turn is over. */
export interface Pause {
  /** The number in the call: 1, 2, 3 … */
  number: number
  turn: number
  /** The samples as in a `CallerTurn`, until now. */
  samples: Float32Array
  startMs: number
  /** The end of `samples` in ms: pass it to `addTranscript`. */
  untilMs: number
}

/** Called for every decision, within `write`, `addTranscript`, `commit` or `setAssistantSpeaking`. */
export interface TurnListener {
  /** The caller speaks. While the assistant speaks, this comes only after `interrupted`. */
  started(turn: { number: number; startMs: number }): void
  /** There was no speech for 100 ms, or the caller speaks during the assistant's words: an early transcription may start. */
  paused(pause: Pause): void
  /** Speech went on for 120 ms or more: the early transcription of that pause is useless now. */
  resumed(pause: number): void
  ended(turn: CallerTurn): void
  /**
   * Speech went on soon after `ended`, and little of the answer was heard: the answer is withdrawn, and the same turn ends once more, with all its
   * samples.
   */
  withdrawn(turn: number): void
  /** The caller may be interrupting: lower the voice. `unduck`, `interrupted` or the end of the assistant's speech follows. */
  duck(): void
  /** The sound was noise, or "yes, yes": speak on at full volume. */
  unduck(): void
  /** The caller interrupts in words: be silent. */
  interrupted(): void
  /** Nobody has spoken for `idleMs` since the assistant did; called once. */
  idle(): void
}

/** The part of `VoiceFrames` that is used. */
export interface SpeechDetector extends Disposable {
  next(frame: Float32Array): Pick<VoiceFrame, 'isVoiced'>
  set(options: VoiceFramesOptions): void
}

const frameMs = 20
const framesOf = (ms: number): number => Math.ceil(ms / frameMs)

/** Waits: for silence without `silenceMs`, for words that are not known in time, and until an early transcription may start. */
const silenceWaitMs = 500
const unknownWordsWaitMs = 700
const pauseFrames = framesOf(100)
/** A speaker who goes on this soon had not finished. */
const withdrawFrames = framesOf(700)
const withdrawVoicedFrames = framesOf(120)
/** After this much of an answer the caller knows that it was given. */
const heardFrames = framesOf(300)
/** Detectors find speech up to 140 ms late, and the voice has to be lower 200 ms after speech began. */
const duckVoicedFrames = framesOf(80)
/** Shorter speech is as likely noise as a word: it is not transcribed, and the voice is raised again soon after it. */
const wordVoicedFrames = framesOf(200)
const noiseQuietFrames = framesOf(200)
const overlapVoicedFrames = framesOf(500)
const overlapFrames = framesOf(1_200)
const backchannelFrames = framesOf(700)
const forgetFrames = framesOf(700)
const forgetPendingFrames = framesOf(3_000)
const minCommitFrames = framesOf(100)
const maxPrefixMs = 1_000

/**
 * Decides in a call when the caller begins to speak, when a turn is over and whether the caller interrupts (docs/decisions/voice/end-of-turn.md). It
 * receives sound, words and the assistant's state, and calls its listener; time is counted in frames. Dispose of it, by `using`.
 */
export class TurnTaking implements Disposable {
  readonly #listener: TurnListener
  readonly #voice: SpeechDetector
  readonly #recent = new RecentFrames(framesOf(maxPrefixMs) + 4)
  #detection: TurnDetection | null
  /** The number of frames so far, and the first frame that belongs to no turn. */
  #frames = 0
  #freeFrom = 0
  /** Which of the last four frames were voiced, the newest in the lowest bit. */
  #lastFour = 0
  #turns = 0
  #pauses = 0
  #current: Utterance | undefined
  /** The turn that ended so recently that it may go on. */
  #ended: { utterance: Utterance; at: number } | undefined
  /** The latest sound, for a client that decides itself when a turn is over. */
  #collected = new SampleBuffer(maxFrames * frameSamples)
  #isAssistantSpeaking = false
  #assistantFrames = 0
  #wasAsked = false
  /** The frames since the assistant stopped speaking, while nobody spoke. */
  #idleFrames: number | undefined

  constructor(detection: TurnDetection | null, listener: TurnListener, voice: SpeechDetector) {
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

  /** Takes 20 ms at 16 kHz: 320 samples, which are copied. */
  write(frame: Float32Array): void {
    if (frame.length !== frameSamples) throw new RangeError(`a frame of ${frame.length} samples`)
    const { isVoiced } = this.#voice.next(frame)
    this.#lastFour = ((this.#lastFour << 1) | (isVoiced ? 1 : 0)) & 0b1111
    this.#recent.put(this.#frames++, frame)
    if (this.#isAssistantSpeaking) this.#assistantFrames++
    if (this.#detection) this.#detect(this.#detection, frame, isVoiced)
    else this.#collect(frame)
  }

  /**
   * Gives the transcript of the present turn, as far as it is known: of the sound before `untilMs` (absent: of all sound). A transcript of another
   * turn is ignored.
   */
  addTranscript(turn: number, text: string, untilMs?: number): void {
    const current = this.#current
    if (current?.number !== turn) return
    current.addTranscript(text, untilMs === undefined ? this.#frames : Math.floor(untilMs / frameMs))
    this.#decide(current)
  }

  setAssistantSpeaking(isSpeaking: boolean): void {
    if (isSpeaking === this.#isAssistantSpeaking) return
    this.#isAssistantSpeaking = isSpeaking
    if (isSpeaking) this.#assistantFrames = 0
    this.#idleFrames = isSpeaking || this.#current?.isAnnounced ? undefined : 0
    this.#setVoice()
    // There is nothing left to interrupt: speech during the last words is a turn, and may answer them.
    if (!isSpeaking && this.#current?.isOverlapping) this.#turnOverlapIntoTurn(this.#current)
  }

  /** Gives the sentence that the assistant spoke last: after a question, shorter answers are expected. */
  setAssistantSentence(text: string): void {
    this.#wasAsked = isQuestion(text)
  }

  /** Ends the turn for the client. Returns false where there is less than 100 ms of sound. */
  commit(): boolean {
    const current = this.#current
    if (this.#detection) {
      if (!current) return false
      if (!current.isAnnounced) this.#announce(current)
      this.#end(current, 'client')
      return true
    }
    const samples = this.#collected
    if (samples.length < minCommitFrames * frameSamples) return false
    this.#collected = new SampleBuffer(maxFrames * frameSamples)
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

  /** Drops the speech so far for the client. */
  clear(): void {
    this.#collected = new SampleBuffer(maxFrames * frameSamples)
    this.#freeFrom = this.#frames
    this.#ended = undefined
    if (this.#current) this.#forget(this.#current)
  }

  /**
   * Changes the detection from the next frame on. If the client decides itself from now on, it keeps the present speech; sound that was collected for
   * a client's decision is dropped.
   */
  update(detection: TurnDetection | null): void {
    if (!detection && this.#detection && this.#current) {
      const { samples } = this.#current
      this.#collected = new SampleBuffer(maxFrames * frameSamples)
      this.#collected.append(samples.first(samples.length))
      this.#forget(this.#current)
    }
    if (detection && !this.#detection) this.clear()
    this.#ended = undefined
    this.#idleFrames = undefined
    this.#detection = detection
    this.#setVoice()
  }

  /** Sets the detector: speech during the assistant's words must be louder and clearer than their echo. */
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
    // A second is dropped at a time, so that the buffer is not moved at each frame.
    if (this.#collected.isFull) this.#collected.dropFirst(50 * frameSamples)
    this.#collected.append(frame)
  }

  /** Adds the silence after a turn to it, as long as the turn may still go on. */
  #keepEnded(frame: Float32Array): void {
    if (!this.#ended) return
    const { utterance, at } = this.#ended
    utterance.samples.append(frame)
    if (utterance.samples.isFull) this.#keepApart()
    else if (!this.#current && this.#frames - at > withdrawFrames) this.#ended = undefined
  }

  get #isOnset(): boolean {
    return bitCounts[this.#lastFour]! >= 3
  }

  #begin(detection: TurnDetection): void {
    if (!this.#isOnset) return
    const voicedFrom = this.#frames - (this.#lastFour & 0b1000 ? 4 : 3)
    const prefix = framesOf(Math.min(maxPrefixMs, detection.prefixMs))
    const current = new Utterance(++this.#turns, Math.max(this.#freeFrom, voicedFrom - prefix), {
      voicedUntil: this.#frames,
      voicedFrames: bitCounts[this.#lastFour]!,
      overlaps: this.#isAssistantSpeaking && detection.interruptResponse,
    })
    current.takeFrom(this.#recent, this.#frames)
    this.#current = current
    if (!current.isOverlapping && !this.#ended) this.#announce(current)
  }

  #goOn(current: Utterance, frame: Float32Array, isVoiced: boolean): void {
    current.samples.append(frame)
    if (current.isPausing ? this.#isOnset : isVoiced) {
      current.voicedFrames += current.isPausing ? bitCounts[this.#lastFour]! : 1
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

  /** Handles one more frame of speech. */
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

  /** Handles speech soon after a turn ended: the caller goes on with the turn, or has heard the answer and begins a new one. */
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

  /** Separates the present speech from the turn that ended. */
  #keepApart(): void {
    this.#ended = undefined
    if (this.#current && !this.#current.isOverlapping) this.#announce(this.#current)
  }

  #announce(current: Utterance): void {
    this.#idleFrames = undefined
    this.#ended = undefined
    current.isOverlapping = false
    current.isAnnounced = true
    this.#listener.started({ number: current.number, startMs: current.startMs })
  }

  #pause(current: Utterance): void {
    if (current.pause !== undefined) return
    current.recordPause(++this.#pauses)
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
    if (!this.#goesByWords) return { waitMs: this.#detection!.silenceMs ?? silenceWaitMs, reason: 'silence' }
    const { words } = current
    if (words === undefined) return { waitMs: unknownWordsWaitMs, reason: 'silence' }
    return { waitMs: waitMsOf(words, this.#wasAsked), reason: 'words' }
  }

  get #goesByWords(): boolean {
    return this.#detection?.type === 'semantic_vad' && this.#detection.silenceMs === undefined
  }

  #end(current: Utterance, reason: CallerTurn['reason']): void {
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
      ...(words !== undefined && { addTranscript: words }),
      ...(pause !== undefined && { pause }),
      reason,
    })
    if (isCut && this.#current) this.#announce(this.#current)
  }

  /** Decides whether speech during the assistant's words interrupts. */
  #judge(current: Utterance): void {
    const said = current.latestWords.trim()
    const isListening = current.voicedFrames < backchannelFrames && isBackchannel(said)
    if (said && !isListening) this.#interrupt(current)
    else this.#goOnBeside(current, !said)
  }

  /** Handles speech that has not interrupted so far. */
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

  /** Makes overlapping speech a turn like any other, since the assistant has stopped. */
  #turnOverlapIntoTurn(current: Utterance): void {
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

/** The number of bits that are set in a number of four bits. */
const bitCounts = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4]

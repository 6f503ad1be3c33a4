/** Decides in a call when the caller begins to speak, when a turn is over and whether the caller interrupts. */
import { VoiceFrames } from '#core/sound'
import type { TurnDetection } from '../parts.ts'
import { CollectedSound } from './collected-sound.ts'
import { Interruption, wordVoicedFrames } from './interruption.ts'
import { frameMs, frameSamples, framesOf, RecentFrames } from './samples.ts'
import { type SpeechDetector, SpeechOnset } from './speech-onset.ts'
import type { CallerTurn, TurnListener } from './turn-listener.ts'
import { Utterance } from './utterance.ts'
import { isQuestion, waitMsOf } from './words-of-end.ts'

/** Waits: for silence without `silenceMs`, for words that are not known in time, and until an early transcription may start. */
const silenceWaitMs = 500
const unknownWordsWaitMs = 700
const pauseFrames = framesOf(100)
/** A speaker who goes on this soon had not finished. */
const withdrawFrames = framesOf(700)
const withdrawVoicedFrames = framesOf(120)
/** After this much of an answer the caller knows that it was given. */
const heardFrames = framesOf(300)
const maxPrefixMs = 1_000

/**
 * Receives sound, words and the assistant's state, and calls its listener; time is counted in frames (docs/decisions/voice/end-of-turn.md). Dispose
 * of it, by `using`.
 */
export class TurnTaking implements Disposable {
  readonly #listener: TurnListener
  readonly #onset: SpeechOnset
  readonly #interruption: Interruption
  readonly #recent = new RecentFrames(framesOf(maxPrefixMs) + 4)
  #detection: TurnDetection | null
  /** The number of frames so far, and the first frame that belongs to no turn. */
  #frames = 0
  #freeFrom = 0
  #turns = 0
  #pauses = 0
  #current: Utterance | undefined
  /** The turn that ended so recently that it may go on. */
  #ended: { utterance: Utterance; at: number } | undefined
  /** The latest sound, for a client that decides itself when a turn is over. */
  readonly #collected = new CollectedSound()
  #isAssistantSpeaking = false
  #assistantFrames = 0
  #wasAsked = false
  /** The frames since the assistant stopped speaking, while nobody spoke. */
  #idleFrames: number | undefined

  constructor(detection: TurnDetection | null, listener: TurnListener, voice: SpeechDetector) {
    this.#detection = detection
    this.#listener = listener
    this.#interruption = new Interruption(listener)
    this.#onset = new SpeechOnset(voice)
    this.#setVoice()
  }

  static async open(detection: TurnDetection | null, listener: TurnListener): Promise<TurnTaking> {
    return new TurnTaking(detection, listener, await VoiceFrames.open())
  }

  [Symbol.dispose](): void {
    this.#onset[Symbol.dispose]()
  }

  /** Takes 20 ms at 16 kHz: 320 samples, which are copied. */
  write(frame: Float32Array): void {
    if (frame.length !== frameSamples) throw new RangeError(`a frame of ${frame.length} samples`)
    const isVoiced = this.#onset.next(frame)
    this.#recent.put(this.#frames++, frame)
    if (this.#isAssistantSpeaking) this.#assistantFrames++
    if (this.#detection) this.#detect(this.#detection, frame, isVoiced)
    else this.#collected.append(frame)
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

  /**
   * Ends the turn for the client. Returns false where there is less than 100 ms of sound, or none yet of speech that goes on after a turn ended by its
   * limit.
   */
  commit(): boolean {
    const current = this.#current
    if (this.#detection) {
      if (!current || current.samples.length === 0) return false
      if (!current.isAnnounced) this.#announce(current)
      this.#end(current, 'client')
      return true
    }
    const samples = this.#collected.take()
    if (!samples) return false
    this.#freeFrom = this.#frames
    const startMs = frameMs * (this.#frames - samples.length / frameSamples)
    this.#listener.ended({
      number: ++this.#turns,
      samples,
      startMs,
      endMs: frameMs * this.#frames,
      reason: 'client',
    })
    return true
  }

  /** Drops the speech so far for the client. */
  clear(): void {
    this.#collected.clear()
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
      this.#collected.clear()
      this.#collected.append(samples.first(samples.length))
      this.#forget(this.#current)
    }
    if (detection && !this.#detection) this.clear()
    this.#ended = undefined
    this.#idleFrames = undefined
    this.#detection = detection
    this.#setVoice()
  }

  #setVoice(): void {
    this.#onset.setThreshold(this.#detection?.threshold ?? 0.5, this.#isAssistantSpeaking)
  }

  #detect(detection: TurnDetection, frame: Float32Array, isVoiced: boolean): void {
    this.#keepEnded(frame)
    if (!this.#current) this.#begin(detection)
    else this.#goOn(this.#current, frame, isVoiced)
    this.#countIdle(detection)
  }

  /** Adds the silence after a turn to it, as long as the turn may still go on. */
  #keepEnded(frame: Float32Array): void {
    if (!this.#ended) return
    const { utterance, at } = this.#ended
    utterance.samples.append(frame)
    if (utterance.samples.isFull) this.#keepApart()
    else if (!this.#current && this.#frames - at > withdrawFrames) this.#ended = undefined
  }

  #begin(detection: TurnDetection): void {
    if (!this.#onset.isOnset) return
    const voicedFrom = this.#frames - this.#onset.onsetFrames
    const prefix = framesOf(Math.min(maxPrefixMs, detection.prefixMs))
    const current = new Utterance(++this.#turns, Math.max(this.#freeFrom, voicedFrom - prefix), {
      voicedUntil: this.#frames,
      voicedFrames: this.#onset.voicedFrames,
      overlaps: this.#isAssistantSpeaking && detection.interruptResponse,
    })
    current.takeFrom(this.#recent, this.#frames)
    this.#current = current
    if (!current.isOverlapping && !this.#ended) this.#announce(current)
  }

  #goOn(current: Utterance, frame: Float32Array, isVoiced: boolean): void {
    current.samples.append(frame)
    if (current.isPausing ? this.#onset.isOnset : isVoiced) {
      current.voicedFrames += current.isPausing ? this.#onset.voicedFrames : 1
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
    } else if (current.isOverlapping) {
      if (this.#interruption.spoken(current, this.#frames)) this.#pause(current)
    } else {
      const pause = current.voidPause()
      if (pause !== undefined) this.#listener.resumed(pause)
    }
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
    this.#onset.forget()
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
      ...(words !== undefined && { transcript: words }),
      ...(pause !== undefined && { pause }),
      reason,
    })
    if (isCut && this.#current) this.#announce(this.#current)
  }

  /** Decides whether speech during the assistant's words interrupts. */
  #judge(current: Utterance): void {
    const verdict = this.#interruption.judge(current, this.#frames)
    if (verdict === 'over') this.#forget(current)
    if (verdict === 'interrupts' && this.#current === current) this.#announce(current)
  }

  #forget(current: Utterance): void {
    this.#current = undefined
    this.#onset.forget()
    this.#interruption.unduck(current)
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

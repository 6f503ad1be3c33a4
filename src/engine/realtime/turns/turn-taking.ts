import type { TurnDetection } from '../parts.ts'

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

/** The methods of the class of this name, which `TurnTaking.open(detection, listener)` opens and `using` closes. Time is counted in frames. */
export interface TurnTaking extends Disposable {
  /** 20 ms at 16 kHz: 320 samples, which it copies. */
  write(frame: Float32Array): void
  /** The transcript of the turn that is spoken now, as far as it is known: of the sound before `untilMs` (absent: all of it). One of an earlier turn is ignored. */
  words(turn: number, text: string, untilMs?: number): void
  assistantSpeaks(isSpeaking: boolean): void
  /** The sentence that the assistant spoke last: after a question shorter answers are waited for. */
  assistantSaid(text: string): void
  /** The client ends the turn. False: less than 100 ms of sound are there. */
  commit(): boolean
  /** The client discards what was said. */
  clear(): void
  /** Takes effect with the next frame. */
  update(detection: TurnDetection | null): void
}

/** An engine receives the decisions about its caller's turns through this interface, with the speech of each turn. */

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
  transcript?: string
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

/** Joins the pieces of one transcription in the order in which they were sent, whichever is transcribed first. */
import type { PieceSpan } from './cut.ts'
import type { PieceTranscript } from './heard.ts'
import { type FinalStretch, Joiner } from './join.ts'
import type { TranscriptPartQueue } from './progress.ts'
import type { Transcript, TranscriptionSpec } from './transcription.ts'
import { TranscriptText } from './written.ts'

/** A piece that is joined once all pieces before it are joined. */
export interface PieceTurn {
  joint: PieceSpan['joint']
  /** Whether its text is shown while it comes: then none of it can be left out later. */
  isShown: boolean
  /** The text that came before all earlier pieces were joined. */
  held: string
  heard?: PieceTranscript
}

export type JoinedTranscript = Omit<Transcript, 'file' | 'microcredits' | 'tokens' | 'pieces'>

export interface JoinedPiecesOptions {
  spec: TranscriptionSpec
  /** The language that was requested. */
  language: string | undefined
  /** Whether Persian text gets Persian letters. */
  normalizes: boolean
}

export class JoinedPieces {
  readonly #joiner: Joiner
  readonly #written: TranscriptText
  readonly #turns: PieceTurn[] = []
  /** The index of the first turn that is not joined. */
  #turn = 0
  readonly #segments: Transcript['segments'] = []
  #words: NonNullable<Transcript['words']> | undefined

  constructor(progress: TranscriptPartQueue, { spec, language, normalizes }: JoinedPiecesOptions) {
    this.#joiner = new Joiner({ diarizes: spec.diarize === true, speakers: spec.speakers })
    this.#written = new TranscriptText(progress, { language, normalizes })
  }

  /** The language of the first piece of the recording that names one, whichever was answered first. */
  get language(): string | undefined {
    return this.#turns.find(({ heard }) => heard?.language !== undefined)?.heard?.language
  }

  /** Adds the next piece, before it is sent. */
  add(joint: PieceSpan['joint'], isShown: boolean): PieceTurn {
    const turn: PieceTurn = { joint, isShown, held: '' }
    this.#turns.push(turn)
    return turn
  }

  /** Shows text of a piece while it comes, once all pieces before it are joined. */
  show(turn: PieceTurn, text: string, maxCharacters: number): void {
    if (!turn.isShown || turn.held.length + text.length > maxCharacters) return
    turn.held += text
    if (this.#turns[this.#turn] === turn) this.#written.show(text)
  }

  /** Joins all pieces up to the first without a transcript; `heard` is the transcript of this one. */
  join(joinable: PieceTurn, heard: PieceTranscript): void {
    joinable.heard = heard
    for (let turn = this.#turns[this.#turn]; turn?.heard; turn = this.#turns[this.#turn]) {
      for (const joined of this.#joiner.add(turn.heard, turn.joint)) this.#finish(joined)
      if (turn.isShown) for (const joined of this.#joiner.end()) this.#finish(joined)
      this.#turn += 1
      const next = this.#turns[this.#turn]
      if (next && next.held !== '') this.#written.show(next.held)
    }
  }

  /** Ends the last piece, and returns the transcript of a recording of this length. */
  end(seconds: number): JoinedTranscript {
    for (const joined of this.#joiner.end()) this.#finish(joined)
    const { speakers, unmatched } = this.#joiner
    const { language } = this
    return {
      text: this.#written.text,
      ...(language !== undefined && { language }),
      seconds,
      segments: this.#segments,
      ...(this.#words && { words: this.#words }),
      ...(speakers && { speakers }),
      ...(unmatched.length > 0 && { unmatchedSpeakers: unmatched }),
    }
  }

  #finish(joined: FinalStretch): void {
    this.#written.finish(joined)
    // The segments are added one by one: a call cannot take hundreds of thousands of arguments.
    for (const segment of joined.segments) this.#segments.push(segment)
    if (!joined.words) return
    this.#words ??= []
    for (const word of joined.words) this.#words.push(word)
  }
}

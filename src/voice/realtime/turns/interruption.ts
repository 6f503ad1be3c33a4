/** Judges whether speech during the assistant's words interrupts them, or is only a noise or a sign of listening. */
import { framesOf } from './samples.ts'
import type { TurnListener } from './turn-listener.ts'
import type { Utterance } from './utterance.ts'
import { isBackchannel } from './words-of-end.ts'

/** Detectors find speech up to 140 ms late, and the voice has to be lower 200 ms after speech began. */
const duckVoicedFrames = framesOf(80)
/** Shorter speech is as likely noise as a word: it is not transcribed, and the voice is raised again soon after it. */
export const wordVoicedFrames = framesOf(200)
const noiseQuietFrames = framesOf(200)
const overlapVoicedFrames = framesOf(500)
const overlapFrames = framesOf(1_200)
const backchannelFrames = framesOf(700)
const forgetFrames = framesOf(700)
const forgetPendingFrames = framesOf(3_000)

/** `interrupts`: the speech is a turn from now on; `over`: it did not interrupt, and is forgotten; `open`: it may still interrupt. */
export type OverlapVerdict = 'interrupts' | 'over' | 'open'

/** Handles overlapping speech. `frames` is always the number of frames in the call so far. */
export class Interruption {
  readonly #listener: Pick<TurnListener, 'duck' | 'unduck' | 'interrupted'>

  constructor(listener: Pick<TurnListener, 'duck' | 'unduck' | 'interrupted'>) {
    this.#listener = listener
  }

  /** Handles one more frame of speech. Returns whether the speech so far is now to be transcribed. */
  spoken(current: Utterance, frames: number): boolean {
    if (!current.wasDucked && current.voicedFrames >= duckVoicedFrames) {
      current.wasDucked = true
      current.duckedAt = frames
      this.#listener.duck()
    }
    return current.voicedFrames === overlapVoicedFrames
  }

  /** Decides by the words so far, and by the length of speech and silence. */
  judge(current: Utterance, frames: number): OverlapVerdict {
    const said = current.latestWords.trim()
    const isListening = current.voicedFrames < backchannelFrames && isBackchannel(said)
    if (!said || isListening) return this.#goOnBeside(current, frames, !said)
    current.isOverlapping = false
    current.duckedAt = undefined
    this.#listener.interrupted()
    return 'interrupts'
  }

  unduck(current: Utterance): void {
    if (current.duckedAt === undefined) return
    current.duckedAt = undefined
    this.#listener.unduck()
  }

  /** Handles speech that has not interrupted so far. */
  #goOnBeside(current: Utterance, frames: number, isWordless: boolean): OverlapVerdict {
    const isHeard = current.isPausing && current.words !== undefined
    const isLate = current.duckedAt !== undefined && frames - current.duckedAt >= overlapFrames
    const quietFrames = frames - current.voicedUntil
    const isNoise = current.voicedFrames < wordVoicedFrames && quietFrames >= noiseQuietFrames
    if (isHeard || isLate || isNoise) this.unduck(current)
    if (isNoise) current.wasDucked = false
    const isPending = current.pause !== undefined && !isHeard
    const isOver =
      (isHeard && isWordless) ||
      quietFrames >= (isPending ? forgetPendingFrames : forgetFrames) ||
      current.samples.isFull
    return isOver ? 'over' : 'open'
  }
}

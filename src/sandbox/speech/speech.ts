import { phrasesOf } from './pronounce.ts'
import { frameMs, pauseMs, phraseMs } from './prosody.ts'
import { frameSamples, Synthesiser, sampleRate } from './synthesiser.ts'
import { framesOf } from './tracks.ts'
import { instructedVoice, pacedVoices, type Voice, voices } from './voices.ts'

export { instructedVoice, pacedVoices, sampleRate, type Voice, voices }

const framesOfChunk = 50

/**
 * Speaks a text: chunks of at most 100 ms of mono 16-bit samples at 24 kHz (`sampleRate`), made one by one as they are asked for. The same text and
 * voice always give the same samples, `spokenMs` long. A text without a word gives none.
 */
export function* speak(text: string, voice: Voice): Generator<Int16Array> {
  const synthesiser = new Synthesiser(voice)
  for (const phrase of phrasesOf(text)) {
    let chunk = new Int16Array(framesOfChunk * frameSamples)
    let filled = 0
    for (const frame of withPause(framesOf(phrase, voice), pauseMs(phrase, voice))) {
      synthesiser.render(frame, chunk, filled)
      filled += frameSamples
      if (filled < chunk.length) continue
      yield chunk
      chunk = new Int16Array(framesOfChunk * frameSamples)
      filled = 0
    }
    if (filled > 0) yield chunk.subarray(0, filled)
  }
}

/** The exact time in ms that `speak` takes for a text, without speaking it. */
export function spokenMs(text: string, voice: Voice): number {
  let sum = 0
  for (const phrase of phrasesOf(text)) sum += phraseMs(phrase, voice)
  return sum
}

type Frames = ReturnType<typeof framesOf>

/** The frames of a phrase and of the pause after it, in which the last sound dies away. */
function* withPause(frames: Frames, ms: number): Frames {
  let last: Parameters<Synthesiser['render']>[0] | undefined
  for (const frame of frames) {
    last = frame
    yield frame
  }
  if (last === undefined) return
  const rest = { ...last, voiced: 0, aspirated: 0, noisy: 0 }
  for (let passed = 0; passed < ms; passed += frameMs) yield rest
}

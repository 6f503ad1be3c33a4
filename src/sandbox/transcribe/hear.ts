/** Finds out what is in a recording: the sandbox's own words with their times and speakers, or how long and loud it is. */
import { decodeSound, loudnessOf, resample, type Sound, SoundError, VoiceDetector } from '#core/sound'
import { UpstreamError } from '#core/spec'
import type { RecordedSound, SpokenWord } from '#core/turn'
import { partsOf } from '#providers/kit'
import { type Phrase, phrasesOf } from '../speech/pronounce.ts'
import { phraseMs, wordTimes } from '../speech/prosody.ts'
import { pacedVoices, type Voice } from '../speech/speech.ts'
import { type FoundBlock, readTrack } from '../track/read.ts'

export interface RecognisedText {
  text: string
  words: SpokenWord[]
  isOwn: boolean
}

export interface MeasuredSound {
  seconds: number
  /** The loudness in LUFS; minus infinity for silence. */
  loudness: number
  /** How many times somebody begins to speak. */
  spans: number
}

/**
 * Measures a recording; `own` is absent where nothing in it was said by the sandbox. Throws `UpstreamError` for sound that the sandbox cannot read.
 */
export async function analyseRecording(
  recording: RecordedSound,
): Promise<MeasuredSound & { own?: RecognisedText }> {
  const { seconds } = recording
  const blocks = (await readTrack(decoded(recording))).filter(({ voice }) => pacedVoices[voice])
  if (blocks.length > 0) return { seconds, loudness: 0, spans: 0, own: recognisedTextOf(blocks, seconds) }
  const detector = await VoiceDetector.open(decodedHz)
  using _ = detector
  const counted = { spans: 0 }
  const loudness = await loudnessOf(countSpeechStarts(decoded(recording), detector, counted))
  return { seconds, loudness, spans: counted.spans }
}

const decodedHz = 16_000

/** The decoded sound, in pieces as they are read. */
async function* decoded({ bytes, seconds }: RecordedSound): AsyncGenerator<Sound> {
  let isThere = false
  try {
    for await (const piece of resample(
      decodeSound(partsOf(bytes), { maxSeconds: Math.max(10, 2 * seconds) }),
      decodedHz,
    )) {
      isThere = true
      yield piece
    }
  } catch (cause) {
    if (!(cause instanceof SoundError)) throw cause
    // The good part of a file that ends early is accepted, as every upstream does.
    if (cause.fault === 'truncated' && isThere) return
    const detail = `The sandbox cannot read this sound: ${cause.fault}.`
    throw new UpstreamError('invalid_request', { status: 400, executed: false, param: 'file', detail, cause })
  }
}

/** Passes the sound on, while the detector counts how often speech begins. */
async function* countSpeechStarts(
  sound: AsyncIterable<Sound>,
  detector: VoiceDetector,
  counted: { spans: number },
): AsyncGenerator<Sound> {
  for await (const piece of sound) {
    counted.spans += detector.write(piece.samples).filter(({ kind }) => kind === 'started').length
    yield piece
  }
}

function recognisedTextOf(blocks: readonly FoundBlock[], seconds: number): RecognisedText {
  let text = ''
  const times: TimedPosition[] = []
  for (const block of blocks) {
    const isJoined = text === '' || block.isGlued || text.endsWith('\n') || block.text.startsWith('\n')
    text += isJoined ? '' : ' '
    for (const one of timesIn(block.text, pacedVoices[block.voice]!))
      times.push({
        from: text.length + one.from,
        startMs: block.startMs + one.startMs,
        endMs: block.startMs + one.endMs,
        speaker: one.speaker,
      })
    text += block.text
  }
  return { text: text.trim(), words: wordsOf(text, times, seconds), isOwn: true }
}

/** The words as they stand in the text; signs that are not said go with the word before them. */
function wordsOf(text: string, times: readonly TimedPosition[], seconds: number): SpokenWord[] {
  const words: SpokenWord[] = []
  let next = 0
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    const first = times[next]
    while (times[next] && times[next]!.from < index + word.length) next++
    const last = times[next - 1]
    if (first && last && first.from < index + word.length)
      words.push({
        start: within(first.startMs / 1_000, seconds),
        end: within(last.endMs / 1_000, seconds),
        word,
        speaker: first.speaker,
      })
    else if (words.length > 0) words.at(-1)!.word += ` ${word}`
  }
  return words
}

interface TimedPosition {
  from: number
  startMs: number
  endMs: number
  speaker: string
}

function* timesIn(text: string, voice: Voice): Generator<TimedPosition> {
  let passed = 0
  for (const phrase of phrasesOf(text)) {
    yield* placesOf(phrase, voice, passed)
    passed += phraseMs(phrase, voice)
  }
}

const placesOf = (phrase: Phrase, voice: Voice, passed: number): TimedPosition[] =>
  wordTimes(phrase, voice).map(({ startMs, endMs }, at) => ({
    from: phrase.places[at]!.from,
    startMs: passed + startMs,
    endMs: passed + endMs,
    speaker: voice.id,
  }))

const within = (time: number, seconds: number): number => Math.min(seconds, Math.round(time * 1_000) / 1_000)

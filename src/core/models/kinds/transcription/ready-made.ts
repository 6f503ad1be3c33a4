/** Models that write recordings down, which a vendor's key switches on: those whose price stands in a public document, which is named beside them. */
import type { BaseModel, ModelNamer } from '../../model-namer.ts'
import {
  leavesOutSilence,
  type RecordedFormat,
  type TranscriptionModel,
  type TranscriptionPricing,
  type TranscriptionSettings,
} from './transcription-model.ts'

export const transcriptionModel = (
  named: BaseModel,
  pricing: Partial<TranscriptionPricing>,
  settings: Partial<TranscriptionSettings>,
): TranscriptionModel => ({
  ...named,
  kind: 'transcription',
  inputModalities: ['audio'],
  transcription: {
    formats: ['wav'],
    maxSeconds: 1_200,
    maxBytes: defaultMaxBytes,
    timestamps: 'none',
    diarizes: false,
    translates: false,
    streams: false,
    takesPrompt: false,
    takesKeywords: false,
    hearsLive: false,
    vad: leavesOutSilence(named),
    ...settings,
  },
  pricing: { perMinute: 0, minimumSeconds: 0, inputPerMillion: 0, outputPerMillion: 0, ...pricing },
})

/** OpenAI and Groq take 25 MB (their pages on speech to text); this is a little less, for the form around the file. */
const defaultMaxBytes = 24 * 1024 * 1024
/** The formats of developers.openai.com, createTranscription, which do not include AAC in a stream of its own. */
const usualFormats: RecordedFormat[] = ['wav', 'mp3', 'm4a', 'webm', 'ogg', 'flac']
/** The day on which OpenAI switches its older models off (its page of deprecations). */
const olderEnd = '2027-02-26'

/** OpenAI's models with prices by tokens write 2,000 tokens at most (developers.openai.com, gpt-4o-transcribe): ten minutes of quick speech. */
const tokensSeconds = 480

export const readyMadeTranscriptions = {
  // developers.openai.com/api/docs/models/<model>: prices, and what each model can be asked for.
  openai: (named: ModelNamer): TranscriptionModel[] => [
    transcriptionModel(
      named('gpt-transcribe', 'GPT-Transcribe'),
      { perMinute: 0.0045 },
      { formats: usualFormats, streams: true, takesPrompt: true, takesKeywords: true },
    ),
    transcriptionModel(
      named('whisper-1', 'Whisper', olderEnd),
      { perMinute: 0.006 },
      { formats: usualFormats, timestamps: 'word', translates: true, takesPrompt: true },
    ),
    transcriptionModel(
      named('gpt-4o-transcribe-diarize', 'GPT-4o Transcribe Diarize', olderEnd),
      // "$2.50 / 1M audio tokens" and "$10": developers.openai.com, gpt-4o-transcribe, which shares its prices.
      { inputPerMillion: 2.5, outputPerMillion: 10 },
      {
        formats: usualFormats,
        maxSeconds: tokensSeconds,
        timestamps: 'segment',
        diarizes: true,
        streams: true,
      },
    ),
  ],
  // console.groq.com/docs/speech-to-text: $0.111 and $0.04 an hour, at least ten seconds of each call; the turbo model translates nothing.
  groq: (named: ModelNamer): TranscriptionModel[] => [
    transcriptionModel(
      named('whisper-large-v3-turbo', 'Whisper Large v3 Turbo'),
      { perMinute: 0.04 / 60, minimumSeconds: 10 },
      { formats: usualFormats, timestamps: 'word', takesPrompt: true },
    ),
    transcriptionModel(
      named('whisper-large-v3', 'Whisper Large v3'),
      { perMinute: 0.111 / 60, minimumSeconds: 10 },
      { formats: usualFormats, timestamps: 'word', translates: true, takesPrompt: true },
    ),
  ],
  // openrouter.ai/<model>; hosts of the open models differ in the least time that they bill, which is ten seconds at most.
  openrouter: (named: ModelNamer): TranscriptionModel[] => [
    transcriptionModel(
      named('openai/whisper-large-v3-turbo', 'Whisper Large v3 Turbo'),
      { perMinute: 0.04 / 60, minimumSeconds: 10 },
      { formats: ['wav', 'mp3', 'm4a', 'webm', 'ogg', 'flac'], timestamps: 'segment' },
    ),
    transcriptionModel(
      named('openai/whisper-large-v3', 'Whisper Large v3'),
      { perMinute: 0.111 / 60, minimumSeconds: 10 },
      { formats: ['wav', 'mp3', 'm4a', 'webm', 'ogg', 'flac'], timestamps: 'word' },
    ),
  ],
  // Recordings in one of many languages $0.0092 a minute (deepgram.com/pricing as of 2026-08-01, in D3velop-llc/open-gauntlet-leaderboard; others
  // quote less), telling speakers apart $0.002 more (hail-hq/hail): the price is the sum of both, since it does not depend on what is requested.
  // Persian since 2026-02-03 (developers.deepgram.com/changelog). Keyterms cost more and are left out.
  deepgram: (named: ModelNamer): TranscriptionModel[] => [
    transcriptionModel(
      named('nova-3', 'Nova-3'),
      { perMinute: 0.0112 },
      {
        formats: ['wav', 'mp3', 'm4a', 'webm', 'ogg', 'flac', 'aac'],
        maxSeconds: 3_600,
        maxBytes: 200 * 1024 * 1024,
        timestamps: 'word',
        diarizes: true,
      },
    ),
  ],
  // $0.40 an hour in its smallest plan (elevenlabs.io/docs/capabilities/speech-to-text); keyterms cost more and are left out.
  elevenlabs: (named: ModelNamer): TranscriptionModel[] => [
    transcriptionModel(
      named('scribe_v2', 'Scribe v2'),
      { perMinute: 0.4 / 60 },
      {
        formats: ['wav', 'mp3', 'm4a', 'webm', 'ogg', 'flac', 'aac'],
        maxSeconds: 3_600,
        maxBytes: 200 * 1024 * 1024,
        timestamps: 'word',
        diarizes: true,
      },
    ),
  ],
}

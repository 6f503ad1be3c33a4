/** Models of sound that a vendor's key switches on: those whose price and name stand in a public document, which is named beside them. */
import type { BaseModel, ModelNamer } from '../../model-namer.ts'
import type { AudioModel, AudioPricing, AudioSettings, Voice } from './audio-model.ts'

const voices = (names: string, languages: string[] = []): Voice[] =>
  names.split(' ').map((id) => ({ id, name: id, languages }))

/** The voices that clients of OpenAI list (azure.github.io/PyRIT, OpenAIChatAudioConfig); the older models have the first six. */
const openAiVoices = 'alloy echo fable onyx nova shimmer ash ballad coral sage verse marin cedar'
const olderVoices = 'alloy echo fable onyx nova shimmer'
/** The voices of Gemini (openrouter.ai/google/gemini-3.8-flash-tts/llms.txt). */
const geminiVoices =
  'Kore Puck Zephyr Charon Fenrir Leda Orus Aoede Callirrhoe Autonoe Enceladus Iapetus Umbriel Algieba Despina Erinome Algenib ' +
  'Rasalgethi Laomedeia Achernar Alnilam Schedar Gacrux Pulcherrima Achird Zubenelgenubi Vindemiatrix Sadachbia Sadaltager Sulafat'

const speechFormats: AudioSettings['formats'] = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']
/** The day on which OpenAI switches its speech models off (its page of deprecations). */
const speechEnds = '2027-01-06'

const noPrice: AudioPricing = {
  perMillionCharacters: 0,
  perMinute: 0,
  inputPerMillion: 0,
  outputPerMillion: 0,
}

function audioModel(
  named: BaseModel,
  pricing: Partial<AudioPricing>,
  audio: Pick<AudioSettings, 'voices' | 'formats' | 'maxCharacters'> & Partial<AudioSettings>,
): AudioModel {
  const settings: AudioSettings = {
    tasks: ['speech'],
    takesOtherVoices: false,
    rate: 24_000,
    takesInstructions: false,
    isVerbatim: false,
    maxTurns: 40,
    maxVoices: 2,
    ...audio,
  }
  const inputModalities: AudioModel['inputModalities'] = settings.tasks.includes('answer')
    ? ['text', 'audio']
    : ['text']
  return {
    ...named,
    kind: 'audio',
    inputModalities,
    audio: settings,
    pricing: { ...noPrice, ...pricing },
  }
}

const olderSpeech = (named: BaseModel, perMillionCharacters: number): AudioModel =>
  audioModel(
    named,
    { perMillionCharacters },
    {
      voices: voices(olderVoices),
      formats: speechFormats,
      maxCharacters: 4_096,
      speed: { min: 0.25, max: 4 },
    },
  )

/**
 * The prices of 2027, twice those before, so that a server that is not renewed by then does not sell below cost
 * (github.com/BerriAI/litellm/discussions/42776). Voices are named as before, but the whole text is spoken, so instructions and speakers have fields
 * of their own, and whole files of WAV are answered (docs.cloud.google.com, text-to-speech/migration-guide).
 */
const geminiSpeech = (
  named: BaseModel,
  outputPerMillion: number,
  wire: Pick<AudioSettings, 'formats'> & Partial<AudioSettings> = geminiWire,
): AudioModel =>
  audioModel(
    named,
    { inputPerMillion: 1, outputPerMillion },
    { voices: voices(geminiVoices, ['fa', 'en']), maxCharacters: 4_000, ...wire },
  )
const geminiWire: Pick<AudioSettings, 'formats'> & Partial<AudioSettings> = {
  tasks: ['speech', 'dialogue'],
  formats: ['wav'],
  takesInstructions: true,
  isVerbatim: true,
}

const elevenSpeech = (
  named: BaseModel,
  perMillionCharacters: number,
  {
    languages = ['en'],
    ...more
  }: Pick<AudioSettings, 'maxCharacters'> & Partial<AudioSettings> & { languages?: string[] },
): AudioModel =>
  audioModel(
    named,
    { perMillionCharacters },
    {
      // The voice of ElevenLabs' first steps; other voices and the caller's own are named by their ids.
      voices: [{ id: 'JBFqnCBsd6RMkjVDRZzb', name: 'George', gender: 'male', languages }],
      takesOtherVoices: true,
      formats: ['mp3', 'pcm'],
      ...more,
    },
  )

export const readyMadeAudio = {
  // Source: developers.openai.com/api/docs/models/<model>.
  openai: (named: ModelNamer): AudioModel[] => [
    audioModel(
      named('gpt-4o-mini-tts', 'GPT-4o mini TTS', speechEnds),
      { inputPerMillion: 0.6, outputPerMillion: 12 },
      // The model reads 2,000 tokens at once.
      {
        voices: voices(openAiVoices),
        formats: speechFormats,
        maxCharacters: 2_000,
        takesInstructions: true,
      },
    ),
    olderSpeech(named('tts-1', 'TTS-1', speechEnds), 15),
    olderSpeech(named('tts-1-hd', 'TTS-1 HD', speechEnds), 30),
    audioModel(
      named('gpt-audio-1.5', 'GPT Audio 1.5'),
      { inputPerMillion: 32, outputPerMillion: 64 },
      {
        tasks: ['answer'],
        voices: voices(openAiVoices),
        formats: ['pcm'],
        maxCharacters: 4_096,
        takesInstructions: true,
      },
    ),
  ],
  // OpenRouter passes its vendors' prices on (openrouter.ai/docs/faq), so these are Google's below.
  openrouter: (named: ModelNamer): AudioModel[] => [
    geminiSpeech(named('google/gemini-3.8-flash-tts', 'Gemini 3.8 Flash TTS'), 18, { formats: ['pcm'] }),
  ],
  gemini: (named: ModelNamer): AudioModel[] => [
    geminiSpeech(named('gemini-3.8-flash-lite-tts', 'Gemini 3.8 Flash-Lite TTS'), 12),
    geminiSpeech(named('gemini-3.8-flash-tts', 'Gemini 3.8 Flash TTS'), 18),
  ],
  // Flash $0.05, Multilingual and v3 $0.10 a thousand characters: elevenlabs.io/pricing/api, as developer.puter.com and hail-hq/hail quote it;
  // where figures of v3 differ, the highest is used. Languages: help.elevenlabs.io, article 17883183930129.
  elevenlabs: (named: ModelNamer): AudioModel[] => [
    elevenSpeech(named('eleven_flash_v2_5', 'Eleven Flash v2.5'), 50, { maxCharacters: 40_000 }),
    elevenSpeech(named('eleven_multilingual_v2', 'Eleven Multilingual v2'), 100, { maxCharacters: 10_000 }),
    // The only one of these models that speaks Persian. A dialogue of more than 2,000 characters is spoken line by line.
    elevenSpeech(named('eleven_v3', 'Eleven v3'), 100, {
      tasks: ['speech', 'dialogue'],
      maxCharacters: 2_000,
      maxVoices: 10,
      languages: ['fa', 'en'],
    }),
  ],
}

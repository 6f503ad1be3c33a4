export { type Decoded, decodeSound, openSoundReader, type SoundReader, type SoundSource } from './decode.ts'
export {
  type EncodeOptions,
  encodeSound,
  encodeStream,
  extensionOf,
  mediaTypeOf,
  SoundEncoder,
  type SoundFormat,
  soundFormats,
} from './encode.ts'
export { Joiner, type JoinOptions, joined } from './join.ts'
export { type LevelOptions, levelled, type Measured, measureSound } from './level.ts'
export { decibelsOf, factorOf, LoudnessMeter, peakOf, rmsOf } from './loudness.ts'
export { concatenated, PcmReader, pcmOf, type Sound, samplesOf, speechRates } from './pcm.ts'
export { isResamplable, Resampler, resampled } from './resample.ts'
export { type Span, silencesIn, trimmed } from './silences.ts'
export { type CutOptions, isSpeakable, SpeechCutter, speechPieces } from './speech-text.ts'
export { VoiceDetector, type VoiceEvent, type VoiceOptions } from './voice.ts'
export type { SoundFault } from './wav-reader.ts'

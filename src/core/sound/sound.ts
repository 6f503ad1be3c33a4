/** Speech and recordings: decoded, encoded, joined, levelled and measured as they stream (docs/decisions/media/sound.md). */
export { type DecodeOptions, decodeSound } from './decode.ts'
export {
  type EncodeOptions,
  encodeSound,
  encodeWhole,
  formatMediaType,
  type SoundFormat,
  soundFormats,
} from './encode.ts'
export { SoundError, type SoundFault } from './fault.ts'
export { findFlacFrames, flacSearchBytes } from './flac-search.ts'
export { needsFfmpeg } from './foreign.ts'
export { type JoinOptions, joinSpeech, loudnessOf } from './join.ts'
export { type Levels, levelMs, levelsOf } from './levels.ts'
export { opusMs } from './opus-reader.ts'
export { type Pcm, type Sound, type SoundStream, secondsOf } from './pcm.ts'
export type {
  MeasuredRecording,
  Packets,
  Recording,
  RecordingOptions,
  RecordingSource,
  TimeSpan,
} from './recording.ts'
export { openRecordings, type Recordings } from './recordings.ts'
export { Resampler, resample } from './resample.ts'
export type { FfmpegSetting } from './settings.ts'
export { pauseLevelOf, pausesOf, type SampleSpan, silencesIn } from './silences.ts'
export { StereoOpus, stereoFrame, stereoRate } from './stereo-opus.ts'
export { boundariesOf, isSpeakable, maxSpokenLetters, splitForSpeech } from './text.ts'
export { VoiceDetector, type VoiceEvent, type VoiceOptions } from './voice.ts'
export { type VoiceFrame, VoiceFrames, type VoiceFramesOptions } from './voice-frames.ts'

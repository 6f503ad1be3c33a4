import type { Proves } from '../../suite/proves.ts'

export const proves: Proves = {
  minutes: 7,
  rooms: [
    'src/core/sound',
    'src/media/speech',
    'src/media/spoken-answer',
    'src/voice/live-speech',
    'src/media/subtitles',
    'src/media/transcription',
    'src/providers/transcriptions',
    'src/providers/speech',
    'src/providers/deepgram',
    'src/providers/elevenlabs',
    'src/providers/sherpa',
    'src/sandbox',
    'src/media/audio-routes',
  ],
  files: [
    'tests/core/sound/**',
    'tests/media/transcription/**',
    'tests/harness/transcription-upstream.ts',
    'tests/harness/spoken.ts',
    'cli/media/transcribe/**',
  ],
  guarantees: [
    'What the speech of the sandbox says its transcription writes down, in every container, whole and streamed.',
    'Recordings of hours are cut, heard and joined within bounded memory; real recordings of every container are read as ffmpeg reads them.',
    'Recordings of strangers cost no more processor time than their length allows.',
  ],
}

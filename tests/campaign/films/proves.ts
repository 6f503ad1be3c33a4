import type { Proves } from '../../suite/proves.ts'

export const proves: Proves = {
  minutes: 6,
  rooms: [
    'src/engine/media',
    'src/engine/video',
    'src/engine/subtitles',
    'src/engine/files',
    'src/engine/images',
    'src/engine/paid',
    'src/providers/images',
    'src/providers/fal',
    'src/providers/openrouter',
    'src/providers/gemini',
    'src/providers/sandbox',
    'src/providers/modalities',
    'src/providers/kit',
    'src/capabilities/studio',
    'src/capabilities/videos',
    'src/capabilities/images',
  ],
  files: ['tests/videos/**', 'tests/media/**', 'tests/harness/video-*.ts', 'cli/studio/**', 'cli/video/**'],
  guarantees: [
    'Films that are made can be played by a browser and by ffmpeg, frame by frame as they were ordered.',
    'Every fault of a maker of films is told, charged right and ordered once, and what comes late is still delivered.',
    'Files of strangers are read within bounds of memory and processor time.',
  ],
}

import type { Proves } from '../../suite/proves.ts'

export const proves: Proves = {
  minutes: 6,
  rooms: [
    'src/core/media',
    'src/media/video',
    'src/media/subtitles',
    'src/core/files',
    'src/media/images',
    'src/core/paid',
    'src/providers/images',
    'src/providers/fal',
    'src/providers/openrouter',
    'src/providers/gemini',
    'src/sandbox',
    'src/providers/modalities',
    'src/providers/kit',
    'src/media/studio',
    'src/media/video-routes',
    'src/media/image-routes',
  ],
  files: [
    'tests/media/videos/**',
    'tests/media/**',
    'tests/harness/video-*.ts',
    'cli/media/studio/**',
    'cli/media/video/**',
  ],
  guarantees: [
    'Films that are made can be played by a browser and by ffmpeg, frame by frame as they were ordered.',
    'Every fault of a maker of films is told, charged right and ordered once, and what comes late is still delivered.',
    'Files of strangers are read within bounds of memory and processor time.',
  ],
}

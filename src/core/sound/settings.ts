import path from 'node:path'
import { variableSection } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    ffmpeg: FfmpegSetting
  }
}

export interface FfmpegSetting {
  /** Absolute paths where the program may be; the first that works is taken. */
  places: readonly string[]
}

export const ffmpeg = variableSection({
  name: 'ffmpeg',
  variables: [
    {
      name: 'KHERAD_FFMPEG',
      about: {
        en: 'The absolute path of the ffmpeg that decodes AAC, ALAC, AIFF, CAF, WMA and AMR; without it the one of PATH; off for none.',
        fa: 'مسیر کامل ffmpegای که AAC، ALAC، AIFF، CAF، WMA و AMR را باز می‌کند؛ در نبودش همان که در PATH است؛ off یعنی هیچ.',
      },
    },
    {
      name: 'PATH',
      about: {
        en: 'Where ffmpeg is looked for if KHERAD_FFMPEG does not name one.',
        fa: 'جایی که ffmpeg در آن جسته می‌شود، اگر KHERAD_FFMPEG نامش را نبرد.',
      },
    },
  ],
  read: (variable) => {
    const named = variable('KHERAD_FFMPEG')
    if (named === 'off') return { places: [] }
    if (named !== undefined) return { places: [path.resolve(named)] }
    const folders = (variable('PATH') ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder))
    return { places: [...new Set(folders)].map((folder) => path.join(folder, 'ffmpeg')) }
  },
})
